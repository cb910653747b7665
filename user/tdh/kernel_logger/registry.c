/* SPDX-License-Identifier: MIT */
/*
 * registry.c - the registry in Windows' kernel logger
 *
 * Sources: Microsoft's pages "Registry_TypeGroup1 class" and its V0 and V1 forms; for types from 28
 * on, wmicore.mof of the WDK.
 */
#include "kernel_logger.h"
KERNEL_TEMPLATE(registry_v0,
	POINTER("Status"), POINTER("KeyHandle"), S64("ElapsedTime"), TEXT16("KeyName"));

KERNEL_TEMPLATE(registry_v1,
	POINTER("Status"), POINTER("KeyHandle"), S64("ElapsedTime"), U32("Index"),
	TEXT16("KeyName"));

/* The page calls Status a pointer as well; the kernel writes the 32 bits of an NTSTATUS. */
KERNEL_TEMPLATE(registry_v2,
	S64("InitialTime"), X32("Status"), U32("Index"), POINTER("KeyHandle"), TEXT16("KeyName"));

KERNEL_TEMPLATE(registry_transaction,
	UUID("TxrGUID"), X32("Status"), U32("UowCount"), U64("OperationTime"), TEXT16("Hive"));
KERNEL_TEMPLATE(registry_counters,
	U64("Counter1"), U64("Counter2"), U64("Counter3"), U64("Counter4"), U64("Counter5"),
	U64("Counter6"), U64("Counter7"), U64("Counter8"), U64("Counter9"), U64("Counter10"),
	U64("Counter11"));
KERNEL_TEMPLATE(registry_config, U32("CurrentControlSet"));
KERNEL_TEMPLATE(hive_init,
	POINTER("Hive"), U32("OperationType"), U32("PoolTag"), U32("Size"), TEXT16("FileName"));
KERNEL_TEMPLATE(hive_destroy, POINTER("Hive"), TEXT16("FileName"), TEXT16("Path"));
KERNEL_TEMPLATE(hive_link, POINTER("Hive"), TEXT16("Path"));
KERNEL_TEMPLATE(hive_rundown,
	U64("Size"), POINTER("Hive"), U32("LoadedKeyCount"), TEXT16("FileName"),
	TEXT16("LinkPath"));
KERNEL_TEMPLATE(hive_dirty, POINTER("Hive"), TEXT16("LinkPath"), U32("DirtyReason"));
KERNEL_TEMPLATE(key_notify,
	POINTER("Notification"), POINTER("KeyHandle"), U8("Type"), U8("WatchSubtree"),
	U8("Primary"));

static const struct etw_mf_task registry = { .name = "Registry" };

#define REGISTRY(from, to, its_fields)						\
	KERNEL_TYPE(registry, 10, from, to, "Create", its_fields),		\
	KERNEL_TYPE(registry, 11, from, to, "Open", its_fields),		\
	KERNEL_TYPE(registry, 12, from, to, "Delete", its_fields),		\
	KERNEL_TYPE(registry, 13, from, to, "Query", its_fields),		\
	KERNEL_TYPE(registry, 14, from, to, "SetValue", its_fields),		\
	KERNEL_TYPE(registry, 15, from, to, "DeleteValue", its_fields),		\
	KERNEL_TYPE(registry, 16, from, to, "QueryValue", its_fields),		\
	KERNEL_TYPE(registry, 17, from, to, "EnumerateKey", its_fields),	\
	KERNEL_TYPE(registry, 18, from, to, "EnumerateValueKey", its_fields),	\
	KERNEL_TYPE(registry, 19, from, to, "QueryMultipleValue", its_fields),	\
	KERNEL_TYPE(registry, 20, from, to, "SetInformation", its_fields),	\
	KERNEL_TYPE(registry, 21, from, to, "Flush", its_fields)

static const struct etw_kernel_type registry_types[] = {
	REGISTRY(0, 0, registry_v0),
	REGISTRY(1, 1, registry_v1),
	KERNEL_TYPE(registry, 22, 1, 1, "RunDown", registry_v1),
	REGISTRY(2, 255, registry_v2),
	KERNEL_TYPE(registry, 22, 2, 255, "KCBCreate", registry_v2),
	KERNEL_TYPE(registry, 23, 2, 255, "KCBDelete", registry_v2),
	KERNEL_TYPE(registry, 24, 2, 255, "KCBRundownBegin", registry_v2),
	KERNEL_TYPE(registry, 25, 2, 255, "KCBRundownEnd", registry_v2),
	KERNEL_TYPE(registry, 26, 2, 255, "Virtualize", registry_v2),
	KERNEL_TYPE(registry, 27, 2, 255, "Close", registry_v2),
	KERNEL_TYPE(registry, 28, 2, 255, "SetSecurity", registry_v2),
	KERNEL_TYPE(registry, 29, 2, 255, "QuerySecurity", registry_v2),
	KERNEL_TYPE(registry, 30, 2, 255, "TxRCommit", registry_transaction),
	KERNEL_TYPE(registry, 31, 2, 255, "TxRPrepare", registry_transaction),
	KERNEL_TYPE(registry, 32, 2, 255, "TxRRollback", registry_transaction),
	KERNEL_TYPE(registry, 34, 2, 255, "Counters", registry_counters),
	KERNEL_TYPE(registry, 35, 2, 255, "Config", registry_config),
	KERNEL_TYPE(registry, 36, 2, 255, "HiveInit", hive_init),
	KERNEL_TYPE(registry, 37, 2, 255, "HiveDestroy", hive_destroy),
	KERNEL_TYPE(registry, 38, 2, 255, "HiveLink", hive_link),
	KERNEL_TYPE(registry, 39, 2, 255, "HiveDCEnd", hive_rundown),
	KERNEL_TYPE(registry, 40, 2, 255, "HiveDirty", hive_dirty),
	KERNEL_TYPE(registry, 48, 2, 255, "ChangeNotify", key_notify),
};

const struct etw_kernel_class etw_kernel_registry = {
	{ 0xae53722e, 0xc863, 0x11d2, { 0x86, 0x59, 0x00, 0xc0, 0x4f, 0xa3, 0x21, 0xa1 } },
	registry_types, KERNEL_COUNT(registry_types), NULL
};
