/* SPDX-License-Identifier: MIT */
/*
 * config.c - the machine that Windows' kernel logger ran on
 *
 * Sources: Microsoft's pages "SystemConfig class" and SystemConfig_CPU, _PhyDisk, _LogDisk, _NIC,
 * _Video, _Services, _Power, _Network, _IRQ, _PnP and _IDEChannel, and "SystemConfig_V0_CPU class".
 * PnP is something else from version 4 on.
 */
#include "kernel_logger.h"

KERNEL_TEMPLATE(cpu_v0,
	U32("MHz"), U32("NumberOfProcessors"), U32("MemSize"), U32("PageSize"),
	U32("AllocationGranularity"), CHARS16("ComputerName", 256), CHARS16("DomainName", 132));

KERNEL_TEMPLATE(cpu_v2,
	U32("MHz"), U32("NumberOfProcessors"), U32("MemSize"), U32("PageSize"),
	U32("AllocationGranularity"), CHARS16("ComputerName", 256), CHARS16("DomainName", 132),
	POINTER("HyperThreadingFlag"));

KERNEL_TEMPLATE(physical_disk,
	U32("DiskNumber"), U32("BytesPerSector"), U32("SectorsPerTrack"),
	U32("TracksPerCylinder"), U64("Cylinders"), U32("SCSIPort"), U32("SCSIPath"),
	U32("SCSITarget"), U32("SCSILun"), CHARS16("Manufacturer", 256), U32("PartitionCount"),
	U8("WriteCacheEnabled"), U8("Pad"), CHARS16("BootDriveLetter", 3), CHARS16("Spare", 2));

KERNEL_TEMPLATE(logical_disk,
	U64("StartOffset"), U64("PartitionSize"), U32("DiskNumber"), U32("Size"),
	U32("DriveType"), CHARS16("DriveLetterString", 4), U32("Pad1"), U32("PartitionNumber"),
	U32("SectorsPerCluster"), U32("BytesPerSector"), U32("Pad2"),
	S64("NumberOfFreeClusters"), S64("TotalNumberOfClusters"), CHARS16("FileSystem", 16),
	U32("VolumeExt"), U32("Pad3"));

KERNEL_TEMPLATE(network_card,
	X64("PhysicalAddr"), U32("PhysicalAddrLen"), U32("Ipv4Index"), U32("Ipv6Index"),
	TEXT16("NICDescription"), TEXT16("IpAddresses"), TEXT16("DnsServerAddresses"));

KERNEL_TEMPLATE(video,
	U32("MemorySize"), U32("XResolution"), U32("YResolution"), U32("BitsPerPixel"),
	U32("VRefresh"), CHARS16("ChipType", 256), CHARS16("DACType", 256),
	CHARS16("AdapterString", 256), CHARS16("BiosString", 256), CHARS16("DeviceId", 256),
	X32("StateFlags"));

KERNEL_TEMPLATE(services,
	X32("ProcessId"), X32("ServiceState"), X32("SubProcessTag"), TEXT16("ServiceName"),
	TEXT16("DisplayName"), TEXT16("ProcessName"));

KERNEL_TEMPLATE(power,
	U8("s1"), U8("s2"), U8("s3"), U8("s4"), U8("s5"), U8("Pad1"), U8("Pad2"), U8("Pad3"));

KERNEL_TEMPLATE(network,
	U32("TcbTablePartitions"), U32("MaxHashTableSize"), U32("MaxUserPort"),
	U32("TcpTimedWaitDelay"));

KERNEL_TEMPLATE(irq,
	X64("IRQAffinity"), U32("IRQNum"), U32("DeviceDescriptionLen"),
	TEXT16("DeviceDescription"));

KERNEL_TEMPLATE(pnp,
	U32("IDLength"), U32("DescriptionLength"), U32("FriendlyNameLength"),
	TEXT16("DeviceID"), TEXT16("DeviceDescription"), TEXT16("FriendlyName"));

KERNEL_TEMPLATE(ide_channel,
	U32("TargetId"), X32("DeviceType"), X32("DeviceTimingMode"),
	U32("LocationInformationLen"), TEXT16("LocationInformation"));

static const struct etw_mf_task config = { .name = "SystemConfig" };

static const struct etw_kernel_type config_types[] = {
	KERNEL_TYPE(config, 10, 0, 1, "CPU", cpu_v0),
	KERNEL_TYPE(config, 10, 2, 255, "CPU", cpu_v2),
	KERNEL_TYPE(config, 11, 2, 255, "PhyDisk", physical_disk),
	KERNEL_TYPE(config, 12, 2, 255, "LogDisk", logical_disk),
	KERNEL_TYPE(config, 13, 2, 255, "NIC", network_card),
	KERNEL_TYPE(config, 14, 2, 255, "Video", video),
	KERNEL_TYPE(config, 15, 2, 255, "Services", services),
	KERNEL_TYPE(config, 16, 2, 255, "Power", power),
	KERNEL_TYPE(config, 17, 2, 255, "Network", network),
	KERNEL_TYPE(config, 21, 2, 255, "IRQ", irq),
	KERNEL_TYPE(config, 22, 2, 3, "PnP", pnp),
	KERNEL_TYPE(config, 23, 2, 255, "IDEChannel", ide_channel),
};

const struct etw_kernel_class etw_kernel_config = {
	{ 0x01853a65, 0x418f, 0x4f36, { 0xae, 0xfc, 0xdc, 0x0f, 0x1d, 0x2f, 0xd2, 0x35 } },
	config_types, KERNEL_COUNT(config_types)
};
