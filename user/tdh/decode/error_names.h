/* SPDX-License-Identifier: MIT */
/*
 * error_names.h - common error codes by name
 */
#ifndef ETW_TDH_DECODE_ERROR_NAMES_H
#define ETW_TDH_DECODE_ERROR_NAMES_H

#include <stdint.h>

/* The name of an out-type's code, such as "ERROR_ACCESS_DENIED"; NULL: not a common code. */
const char *etw_error_name(uint16_t out_type, uint32_t code);

#endif /* ETW_TDH_DECODE_ERROR_NAMES_H */
