// SPDX-License-Identifier: GPL-2.0-only
/*++

Module Name:

    parcelrtl.c

Abstract:

    What <wdm.h> has beside devices: messages, lists, interlocked operations.

Environment:

    Kernel mode

--*/
#include "parceldrv.h"

#if !DBG
#error "a checked build, because nothing defines DBG"
#endif

// selftests/vm/lib/ported.c has the text of each line.
VOID
ParcelPrint(
    VOID
    )
{
    DECLARE_CONST_UNICODE_STRING(Wide, L"wide gr\x00FC\x00DF");
    STRING Narrow = RTL_CONSTANT_STRING("narrow");
    UNICODE_STRING Empty = { 0 };
    WCHAR Long[600];
    KSPIN_LOCK Lock;
    KIRQL OldIrql;
    ULONG i;

    DbgPrint("P1 %wZ|%Z|%wZ|%.4wZ|%10.4wZ|%-6.4wZ|\n", &Wide, &Narrow, &Empty, &Wide, &Wide, &Wide);
    DbgPrint("P2 %ws|%S|%ls|%s|%hs|%.2S|%8s|%-8S|\n", L"a", L"b", L"c", "d", "e", L"fgh", "i", L"j");
    DbgPrint("P3 %d %ld %lu %u %x %08lX %#x %+d|%5d|%-5d|\n", -1, (LONG)-2, (ULONG)-3, 4, 0xabc,
             0xDEFu, 0x10, 7, 8, 9);
    DbgPrint("P4 %I64d %I64x %llu %Iu %I32x %hd %hu %hhx\n", -5000000000LL, 0x123456789ABCULL,
             18446744073709551615ULL, (SIZE_T)77, 0xFFFFFFFF, 65535, 65537, 0x1FF);
    DbgPrint("P5 %c%C%lc%wc|%3c|%*d|%-*d|%.*s|%%|%i\n", 'x', L'y', L'z', L'\x20AC', 'w', 4, 5, 4, 6,
             2, "abc", -8);
    DbgPrint("P6 %s|%ws|%wZ|%s|%wZ\n", NULL, NULL, NULL, (PCSTR)(ULONG_PTR)8, (PVOID)(ULONG_PTR)8);
    DbgPrint("P7 %d%n%s\n", 1, 2, 3);
    DbgPrint("P8 %99999999d|%.99999999d\n", 1, 1);
    DbgPrint("P9 %ws|\n", L"\xD83D\xDE9A \xD83D.");
    DbgPrint("P10 %");
    for (i = 0; i < ARRAYSIZE(Long); i++) {
        Long[i] = L'\x20AC';
    }
    Long[ARRAYSIZE(Long) - 1] = UNICODE_NULL;
    KeInitializeSpinLock(&Lock);
    KeAcquireSpinLock(&Lock, &OldIrql);
    KdPrintEx((DPFLTR_IHVDRIVER_ID, DPFLTR_ERROR_LEVEL, "P11 x%ws\n", Long));
    DbgPrint("P12 %d %d\n", OldIrql, KeGetCurrentIrql());
    KeReleaseSpinLock(&Lock, OldIrql);
    DbgPrint("P13 %p\n", &Wide);
}

typedef struct _ITEM {
    ULONG Number;
    LIST_ENTRY Entry;
    SINGLE_LIST_ENTRY Single;
} ITEM;

#define CHECK(Condition) \
    ((Condition) ? 0 : (DbgPrint("parceldrv: line %d: %s\n", __LINE__, #Condition), 1))

static ULONG
ParcelSpinLists(
    VOID
    )
{
    LIST_ENTRY Head;
    KSPIN_LOCK Lock;
    ITEM Items[2];
    ULONG Faults = 0;

    InitializeListHead(&Head);
    KeInitializeSpinLock(&Lock);
    Faults += CHECK(ExInterlockedInsertTailList(&Head, &Items[0].Entry, &Lock) == NULL);
    Faults += CHECK(ExInterlockedInsertHeadList(&Head, &Items[1].Entry, &Lock) == &Items[0].Entry);
    Faults += CHECK(ExInterlockedRemoveHeadList(&Head, &Lock) == &Items[1].Entry);
    Faults += CHECK(ExInterlockedRemoveHeadList(&Head, &Lock) == &Items[0].Entry);
    Faults += CHECK(ExInterlockedRemoveHeadList(&Head, &Lock) == NULL);
    return Faults;
}

static ULONG
ParcelInterlocked(
    VOID
    )
{
    LONG Value = 5;
    LONG64 Large = 0x100000000LL;
    PVOID Pointer = NULL;
    ULONG Faults = 0;

    Faults += CHECK(InterlockedIncrement(&Value) == 6);
    Faults += CHECK(InterlockedDecrement(&Value) == 5);
    Faults += CHECK(InterlockedExchangeAdd(&Value, -7) == 5 && Value == -2);
    Faults += CHECK(InterlockedExchange(&Value, 9) == -2);
    Faults += CHECK(InterlockedCompareExchange(&Value, 1, 8) == 9 && Value == 9);
    Faults += CHECK(InterlockedCompareExchange(&Value, 1, 9) == 9 && Value == 1);
    Faults += CHECK(InterlockedOr(&Value, 6) == 1 && InterlockedAnd(&Value, 5) == 7 && Value == 5);
    Faults += CHECK(InterlockedXor(&Value, 6) == 5 && Value == 3);
    Faults += CHECK(InterlockedIncrement64(&Large) == 0x100000001LL);
    Faults += CHECK(InterlockedCompareExchange64(&Large, 0, Large) == 0x100000001LL && Large == 0);
    Faults += CHECK(InterlockedCompareExchangePointer(&Pointer, &Value, NULL) == NULL);
    Faults += CHECK(InterlockedExchangePointer(&Pointer, NULL) == &Value && Pointer == NULL);
    return Faults;
}

ULONG
ParcelLists(
    VOID
    )
{
    LIST_ENTRY Head;
    SINGLE_LIST_ENTRY Single = { NULL };
    ITEM Items[3] = { { 0 }, { 1 }, { 2 } };
    ULONG Faults = 0;

    InitializeListHead(&Head);
    Faults += CHECK(IsListEmpty(&Head) && RemoveHeadList(&Head) == &Head);
    Faults += CHECK(RemoveTailList(&Head) == &Head);
    InsertTailList(&Head, &Items[1].Entry);
    InsertTailList(&Head, &Items[2].Entry);
    InsertHeadList(&Head, &Items[0].Entry);
    Faults += CHECK(CONTAINING_RECORD(Head.Flink, ITEM, Entry)->Number == 0);
    Faults += CHECK(Head.Flink->Flink == &Items[1].Entry && Head.Blink == &Items[2].Entry);
    Faults += CHECK(!RemoveEntryList(&Items[1].Entry) && Items[0].Entry.Flink == &Items[2].Entry);
    Faults += CHECK(RemoveTailList(&Head) == &Items[2].Entry);
    Faults += CHECK(RemoveEntryList(&Items[0].Entry) && IsListEmpty(&Head));
    PushEntryList(&Single, &Items[0].Single);
    PushEntryList(&Single, &Items[1].Single);
    Faults += CHECK(PopEntryList(&Single) == &Items[1].Single);
    Faults += CHECK(PopEntryList(&Single) == &Items[0].Single && PopEntryList(&Single) == NULL);
    Faults += CHECK(RtlCompareMemory("abc", "abd", 3) == 2 && RtlCompareMemory("a", "a", 1) == 1);
    Faults += CHECK(RtlEqualMemory("abc", "abd", 2) && !RtlEqualMemory("abc", "abd", 3));
    ASSERT(IsListEmpty(&Head));
    ASSERTMSG("parceldrv: not empty", IsListEmpty(&Head));
    return Faults + ParcelSpinLists() + ParcelInterlocked() + ParcelFree();
}
