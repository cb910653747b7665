/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values.h - the two halves of values.c
 */
#ifndef MC_VALUES_H
#define MC_VALUES_H

#include "tdh/model/model.h"

/* Pseudo-random, 0 to below - 1 */
unsigned int values_random(unsigned int below);

/* A name as an identifier */
void values_word(char *to, const char *from);

/* Declare values v0, v1, ... for the fields of a template (or NULL), and the expected output. */
void values_template(const struct etw_mf_template *t);

/* The arguments that pass these values to the macro; valid until the next template. */
const char *values_arguments(void);

#endif /* MC_VALUES_H */
