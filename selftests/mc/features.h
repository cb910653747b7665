/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * features.h - the other file of the program, which includes the same headers
 */
#ifndef MC_FEATURES_H
#define MC_FEATURES_H

#ifdef __cplusplus
extern "C" {
#endif

/* The provider of names.man, as features2.c sees it */
unsigned long long features_other_handle(void);
int features_other_enabled(void);

#ifdef __cplusplus
}
#endif

#endif /* MC_FEATURES_H */
