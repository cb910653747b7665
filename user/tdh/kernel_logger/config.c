/* SPDX-License-Identifier: MIT */
/*
 * config.c - the machine that Windows' kernel logger ran on
 *
 * Sources: Microsoft's pages "SystemConfig class" and SystemConfig_CPU, _PhyDisk, _LogDisk, _NIC,
 * _Video, _Services, _Power, _Network, _IRQ, _PnP and _IDEChannel, and "SystemConfig_V0_CPU class";
 * for versions 0, 1, and from 3 on, and for types from 24 on, wmicore.mof of the WDK.
 */
#include "kernel_logger.h"

KERNEL_TEMPLATE(cpu_v0,
	U32("MHz"), U32("NumberOfProcessors"), U32("MemSize"), U32("PageSize"),
	U32("AllocationGranularity"), CHARS16("ComputerName", 256), CHARS16("DomainName", 132));

KERNEL_TEMPLATE(cpu_v1,
	U32("MHz"), U32("NumberOfProcessors"), U32("MemSize"), U32("PageSize"),
	U32("AllocationGranularity"), CHARS16("ComputerName", 256), CHARS16("DomainName", 132),
	POINTER("HyperThreadingFlag"));

/* Since version 2, two more characters put the pointer on a multiple of 8. */
#define CPU									\
	U32("MHz"), U32("NumberOfProcessors"), U32("MemSize"), U32("PageSize"),	\
	U32("AllocationGranularity"), CHARS16("ComputerName", 256),		\
	CHARS16("DomainName", 134), POINTER("HyperThreadingFlag")

KERNEL_TEMPLATE(cpu_v2, CPU);
KERNEL_TEMPLATE(cpu_v3, CPU,
	POINTER("HighestUserAddress"), U16("ProcessorArchitecture"), U16("ProcessorLevel"),
	U16("ProcessorRevision"), U8("PaeEnabled"), U8("NxEnabled"), U32("MemorySpeed"));

KERNEL_TEMPLATE(physical_disk,
	U32("DiskNumber"), U32("BytesPerSector"), U32("SectorsPerTrack"),
	U32("TracksPerCylinder"), U64("Cylinders"), U32("SCSIPort"), U32("SCSIPath"),
	U32("SCSITarget"), U32("SCSILun"), CHARS16("Manufacturer", 256), U32("PartitionCount"),
	U8("WriteCacheEnabled"), U8("Pad"), CHARS16("BootDriveLetter", 3), CHARS16("Spare", 2));

#define LOGICAL_DISK								\
	U64("StartOffset"), U64("PartitionSize"), U32("DiskNumber"), U32("Size"),	\
	U32("DriveType"), CHARS16("DriveLetterString", 4), U32("Pad1"),		\
	U32("PartitionNumber"), U32("SectorsPerCluster"), U32("BytesPerSector"),	\
	U32("Pad2"), S64("NumberOfFreeClusters"), S64("TotalNumberOfClusters"),	\
	CHARS16("FileSystem", 16), U32("VolumeExt")

KERNEL_TEMPLATE(logical_disk_v0, LOGICAL_DISK);
KERNEL_TEMPLATE(logical_disk, LOGICAL_DISK, U32("Pad3"));

KERNEL_TEMPLATE(network_card_v0,
	CHARS16("NICName", 256), U32("Index"), U32("PhysicalAddrLen"), CHARS16("PhysicalAddr", 8),
	U32("Size"), IPV4("IpAddress"), IPV4("SubnetMask"), IPV4("DhcpServer"), IPV4("Gateway"),
	IPV4("PrimaryWinsServer"), IPV4("SecondaryWinsServer"), IPV4("DnsServer1"),
	IPV4("DnsServer2"), IPV4("DnsServer3"), IPV4("DnsServer4"), U32("Data"));

KERNEL_TEMPLATE(network_card,
	X64("PhysicalAddr"), U32("PhysicalAddrLen"), U32("Ipv4Index"), U32("Ipv6Index"),
	TEXT16("NICDescription"), TEXT16("IpAddresses"), TEXT16("DnsServerAddresses"));

KERNEL_TEMPLATE(video,
	U32("MemorySize"), U32("XResolution"), U32("YResolution"), U32("BitsPerPixel"),
	U32("VRefresh"), CHARS16("ChipType", 256), CHARS16("DACType", 256),
	CHARS16("AdapterString", 256), CHARS16("BiosString", 256), CHARS16("DeviceId", 256),
	X32("StateFlags"));

KERNEL_TEMPLATE(services_v0,
	CHARS16("ServiceName", 34), CHARS16("DisplayName", 256), CHARS16("ProcessName", 34),
	U32("ProcessId"));

#define SERVICES								\
	X32("ProcessId"), X32("ServiceState"), X32("SubProcessTag"),		\
	TEXT16("ServiceName"), TEXT16("DisplayName"), TEXT16("ProcessName")

KERNEL_TEMPLATE(services_v2, SERVICES);
KERNEL_TEMPLATE(services_v3, SERVICES, TEXT16("LoadOrderGroup"), TEXT16("SvchostGroup"));

KERNEL_TEMPLATE(power,
	U8("S1"), U8("S2"), U8("S3"), U8("S4"), U8("S5"), U8("Pad1"), U8("Pad2"), U8("Pad3"));

KERNEL_TEMPLATE(network,
	U32("TcbTablePartitions"), U32("MaxHashTableSize"), U32("MaxUserPort"),
	U32("TcpTimedWaitDelay"));

KERNEL_TEMPLATE(optical_disk,
	U16("DiskNumber"), U16("BusType"), U16("DeviceType"), U16("MediaType"),
	U64("StartingOffset"), U64("Size"), U64("NumberOfFreeBlocks"), U64("TotalNumberOfBlocks"),
	U64("NextWritableAddress"), U32("NumberOfSessions"), U32("NumberOfTracks"),
	U32("BytesPerSector"), U16("DiscStatus"), U16("LastSessionStatus"), TEXT16("DriveLetter"),
	TEXT16("FileSystemName"), TEXT8("DeviceName"), TEXT8("ManufacturerName"));

KERNEL_TEMPLATE(irq,
	X64("IRQAffinity"), U32("IRQNum"), U32("DeviceDescriptionLen"),
	TEXT16("DeviceDescription"));

KERNEL_TEMPLATE(irq_v3,
	X64("IRQAffinity"), U16("IRQGroup"), U16("Reserved"), U32("IRQNum"),
	U32("DeviceDescriptionLen"), TEXT16("DeviceDescription"));

#define PNP									\
	U32("IDLength"), U32("DescriptionLength"), U32("FriendlyNameLength"),	\
	TEXT16("DeviceID"), TEXT16("DeviceDescription"), TEXT16("FriendlyName")
#define PNP_TEXTS								\
	TEXT16("DeviceID"), TEXT16("DeviceDescription"), TEXT16("FriendlyName"),	\
	TEXT16("PdoName"), TEXT16("ServiceName"),				\
	KERNEL_COUNTED("UpperFilters", UNICODESTRING, STRING, 1),		\
	KERNEL_COUNTED("LowerFilters", UNICODESTRING, STRING, 2)

KERNEL_TEMPLATE(pnp, PNP);
KERNEL_TEMPLATE(pnp_v3, PNP, TEXT16("PdoName"));
KERNEL_TEMPLATE(pnp_v4,
	UUID("ClassGuid"), U32("UpperFiltersCount"), U32("LowerFiltersCount"), PNP_TEXTS);
KERNEL_TEMPLATE(pnp_v5,
	UUID("ClassGuid"), U32("UpperFiltersCount"), U32("LowerFiltersCount"),
	U32("DevStatus"), U32("DevProblem"), PNP_TEXTS);

KERNEL_TEMPLATE(ide_channel,
	U32("TargetId"), X32("DeviceType"), X32("DeviceTimingMode"),
	U32("LocationInformationLen"), TEXT16("LocationInformation"));

KERNEL_TEMPLATE(numa_node,
	U32("NodeCount"), KERNEL_COUNTED("NodeMap", UINT64, UNSIGNEDLONG, 0));
KERNEL_TEMPLATE(platform,
	TEXT16("SystemManufacturer"), TEXT16("SystemProductName"), TEXT16("BiosDate"),
	TEXT16("BiosVersion"));
KERNEL_TEMPLATE(processor_group,
	U32("GroupCount"), KERNEL_COUNTED("Affinity", POINTER, HEXINT64, 0));
KERNEL_TEMPLATE(processor_number,
	U32("ProcessorCount"), KERNEL_COUNTED("ProcessorNumber", HEXINT32, HEXINT32, 0));
KERNEL_TEMPLATE(dpi, U32("MachineDPI"), U32("UserDPI"));
KERNEL_TEMPLATE(code_integrity, U32("CodeIntegrityInfo"));
KERNEL_TEMPLATE(telemetry, UUID("MachineId"));

KERNEL_TEMPLATE(defragmentation,
	U64("AlignmentClusters"), U64("AvgFreeSpaceSize"), U64("ClustersPerSlab"),
	U64("FragmentedDirectoryExtents"), U64("FragmentedExtents"), U64("FreeSpaceCount"),
	U64("LargestFreeSpaceSize"), U64("LastRunActualPurgeClusters"),
	U64("LastRunClustersTrimmed"), U64("LastRunFullDefragTime"), U64("LastRunTime"),
	U64("MFTSize"), U64("TotalClusters"), U64("TotalUsedClusters"), U32("AvgFragmentsPerFile"),
	U32("BytesPerCluster"), U32("DirectoryCount"), U32("FragmentedDirectories"),
	U32("FragmentedFiles"), U32("FragmentedSpace"), U32("HardwareIssue"),
	U32("InUseMFTRecords"), U32("InUseSlabs"), U32("LastRunActualPurgeSlabs"),
	U32("LastRunInitialBackedSlabs"), U32("LastRunPercentFragmentation"),
	U32("LastRunPinnedSlabs"), U32("LastRunPotentialPurgeSlabs"),
	U32("LastRunSpaceInefficientSlabs"), U32("LastRunTrimmedSlabs"),
	U32("LastRunUnknownEvictFailSlabs"), U32("LastRunVolsnapPinnedSlabs"),
	U32("MFTFragmentCount"), U32("MovableFiles"), U32("TotalMFTRecords"), U32("TotalSlabs"),
	U32("UnmovableFiles"), UUID("VolumeId"), TEXT16("VolumePathNames"));

KERNEL_TEMPLATE(mobile_v2,
	TEXT16("BootLoaderVersion"), TEXT16("FirmwareRevision"), TEXT16("FriendlyName"),
	TEXT16("HardwareRevision"), TEXT16("Manufacturer"), TEXT16("ManufacturerDisplayName"),
	TEXT16("ManufacturerModelName"), TEXT16("MobileOperatorDisplayName"),
	TEXT16("MobileOperatorName"), TEXT16("ModelName"), TEXT16("RadioHardwareRevision"),
	TEXT16("RadioSoftwareRevision"), TEXT16("ROMVersion"), TEXT16("SOCVersion"),
	TEXT16("HardwareVariant"));

KERNEL_TEMPLATE(mobile_v3,
	TEXT16("DeviceManufacturer"), TEXT16("DeviceManufacturerDisplayName"),
	TEXT16("DeviceModel"), TEXT16("DeviceModelDisplayName"), TEXT16("MobileOperator"),
	TEXT16("MobileOperatorDisplayName"), TEXT16("HardwareVersion"), TEXT16("SocVersion"),
	TEXT16("RadioHardwareVersion"), TEXT16("RadioSoftwareVersion"), TEXT16("BspVersion"),
	TEXT16("OemSoftwareVersion"));

KERNEL_TEMPLATE(mobile_v4,
	TEXT16("DeviceManufacturer"), TEXT16("DeviceManufacturerDisplayName"),
	TEXT16("DeviceModel"), TEXT16("DeviceModelDisplayName"), TEXT16("MobileOperator"),
	TEXT16("SocVersion"), TEXT16("BspVersion"));

KERNEL_TEMPLATE(device_family, U64("UAPInfo"), U32("DeviceFamily"), U32("DeviceForm"));
KERNEL_TEMPLATE(flight_ids, TEXT16("UpdateId"), TEXT16("FlightIdList"));

KERNEL_TEMPLATE(processors,
	U32("ProcessorIndex"), U32("FeatureSet"), U32("ProcessorSpeed"),
	CHARS16("ProcessorName", 64), CHARS16("VendorIdentifier", 16),
	CHARS16("ProcessorIdentifier", 128));

KERNEL_TEMPLATE(virtualization,
	U8("VbsEnabled"), U8("HvciEnabled"), U8("HyperVisorEnabled"), U8("Reserved"));

KERNEL_TEMPLATE(boot,
	U64("BootFlags"), U32("FirmwareType"), U8("SecureBootEnabled"), U8("SecureBootCapable"),
	U8("Reserved1"), U8("Reserved2"));

static const struct etw_mf_task config = { .name = "SystemConfig" };

static const struct etw_kernel_type config_types[] = {
	KERNEL_TYPE(config, 10, 0, 0, "CPU", cpu_v0),
	KERNEL_TYPE(config, 10, 1, 1, "CPU", cpu_v1),
	KERNEL_TYPE(config, 10, 2, 2, "CPU", cpu_v2),
	KERNEL_TYPE(config, 10, 3, 255, "CPU", cpu_v3),
	KERNEL_TYPE(config, 11, 0, 255, "PhyDisk", physical_disk),
	KERNEL_TYPE(config, 12, 0, 1, "LogDisk", logical_disk_v0),
	KERNEL_TYPE(config, 12, 2, 255, "LogDisk", logical_disk),
	KERNEL_TYPE(config, 13, 0, 1, "NIC", network_card_v0),
	KERNEL_TYPE(config, 13, 2, 255, "NIC", network_card),
	KERNEL_TYPE(config, 14, 0, 255, "Video", video),
	KERNEL_TYPE(config, 15, 0, 1, "Services", services_v0),
	KERNEL_TYPE(config, 15, 2, 2, "Services", services_v2),
	KERNEL_TYPE(config, 15, 3, 255, "Services", services_v3),
	KERNEL_TYPE(config, 16, 0, 255, "Power", power),
	KERNEL_TYPE(config, 17, 2, 255, "Network", network),
	KERNEL_TYPE(config, 18, 2, 255, "OpticalDisk", optical_disk),
	KERNEL_TYPE(config, 21, 0, 2, "IRQ", irq),
	KERNEL_TYPE(config, 21, 3, 255, "IRQ", irq_v3),
	KERNEL_TYPE(config, 22, 0, 2, "PnP", pnp),
	KERNEL_TYPE(config, 22, 3, 3, "PnP", pnp_v3),
	KERNEL_TYPE(config, 22, 4, 4, "PnP", pnp_v4),
	KERNEL_TYPE(config, 22, 5, 255, "PnP", pnp_v5),
	KERNEL_TYPE(config, 23, 2, 255, "IDEChannel", ide_channel),
	KERNEL_TYPE(config, 24, 2, 255, "NumaNode", numa_node),
	KERNEL_TYPE(config, 25, 2, 255, "Platform", platform),
	KERNEL_TYPE(config, 26, 2, 255, "ProcessorGroup", processor_group),
	KERNEL_TYPE(config, 27, 2, 255, "ProcessorNumber", processor_number),
	KERNEL_TYPE(config, 28, 2, 255, "DPI", dpi),
	KERNEL_TYPE(config, 29, 2, 255, "CodeIntegrity", code_integrity),
	KERNEL_TYPE(config, 30, 2, 255, "TelemetryConfiguration", telemetry),
	KERNEL_TYPE(config, 31, 2, 255, "Defragmentation", defragmentation),
	KERNEL_TYPE(config, 32, 2, 2, "MobilePlatform", mobile_v2),
	KERNEL_TYPE(config, 32, 3, 3, "MobilePlatform", mobile_v3),
	KERNEL_TYPE(config, 32, 4, 255, "MobilePlatform", mobile_v4),
	KERNEL_TYPE(config, 33, 2, 255, "DeviceFamily", device_family),
	KERNEL_TYPE(config, 34, 2, 255, "FlightIds", flight_ids),
	KERNEL_TYPE(config, 35, 2, 255, "Processors", processors),
	KERNEL_TYPE(config, 36, 2, 255, "Virtualization Config Info", virtualization),
	KERNEL_TYPE(config, 37, 2, 255, "Boot Config Info", boot),
};

const struct etw_kernel_class etw_kernel_config = {
	{ 0x01853a65, 0x418f, 0x4f36, { 0xae, 0xfc, 0xdc, 0x0f, 0x1d, 0x2f, 0xd2, 0x35 } },
	config_types, KERNEL_COUNT(config_types), NULL
};
