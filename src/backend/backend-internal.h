/* The tables that backend.c chooses from. */
#pragma once

#include "backend-backend.h"

extern const struct backend_ops backend_libcrun, backend_crun, backend_runc, backend_runsc, backend_other;
