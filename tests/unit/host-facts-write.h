/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes host facts as the document that host_facts_read reads, to compare all of them at once. */
#pragma once

#include "host-facts.h"

int host_facts_write (const struct host_facts *facts, char **ret_text, struct error *err);
