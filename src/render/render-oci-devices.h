/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The devices that a container may open: only those in its /dev. */
#pragma once

#include <stddef.h>

/* Character devices, for reading and writing. */
struct oci_device {
  int major, minor; /* minor -1: all of them */
};

#define OCI_DEVICE_COUNT 8
extern const struct oci_device oci_devices[OCI_DEVICE_COUNT];
