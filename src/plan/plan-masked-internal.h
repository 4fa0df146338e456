#pragma once

extern const char *const masked_paths[];    /* NULL-terminated */
extern const char *const read_only_paths[]; /* NULL-terminated */
