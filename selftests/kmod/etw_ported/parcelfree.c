// SPDX-License-Identifier: GPL-2.0-only
/*++

Module Name:

    parcelfree.c

Abstract:

    A source file of a free build: it is compiled with DBG=0, so KdPrint() and ASSERT() are not
    even evaluated.

Environment:

    Kernel mode

--*/
#include "parceldrv.h"

#if DBG
#error "DBG=0 on the command line has no effect"
#endif

ULONG
ParcelFree(
    VOID
    )
{
    ULONG Evaluated = 0;

    KdPrint(("parceldrv: line %d\n", (int)++Evaluated));
    KdPrintEx((DPFLTR_IHVDRIVER_ID, DPFLTR_ERROR_LEVEL, "parceldrv: line %d\n", (int)++Evaluated));
    ASSERT(++Evaluated == 0);
    ASSERTMSG("parceldrv: line", ++Evaluated == 0);
    return Evaluated;
}
