/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process_exit.h - noticing that a task or the program of a process ends
 */
#ifndef ETW_PROVIDER_PROCESS_EXIT_H
#define ETW_PROVIDER_PROCESS_EXIT_H

int etw_process_exit_init(void);
void etw_process_exit_exit(void);

#endif /* ETW_PROVIDER_PROCESS_EXIT_H */
