/* SPDX-License-Identifier: MIT */
/*
 * net.c - TCP/IP and UDP/IP of Windows' kernel logger
 *
 * Sources: Microsoft's pages "TcpIp class", "TcpIp_TypeGroup1 class" and 2, 3, 4, "TcpIp_SendIPV4
 * class", "TcpIp_SendIPV6 class", "TcpIp_Fail class", "UdpIp_TypeGroup1 class" and 2, "UdpIp_Fail
 * class", and the V0 and V1 forms of both classes.
 */
#include "kernel_logger.h"

#define ENDS4	IPV4("daddr"), IPV4("saddr"), PORT("dport"), PORT("sport")
#define ENDS6	IPV6("daddr"), IPV6("saddr"), PORT("dport"), PORT("sport")
#define TAIL	U32("seqnum"), POINTER("connid")
#define OPTIONS	U16("mss"), U16("sackopt"), U16("tsopt"), U16("wsopt"), U32("rcvwin"), \
		S16("rcvwinscale"), S16("sndwinscale")

KERNEL_TEMPLATE(tcp_v0, ENDS4, U32("size"), U32("PID"));
KERNEL_TEMPLATE(net_v1, U32("PID"), U32("size"), ENDS4);
KERNEL_TEMPLATE(net_4, U32("PID"), U32("size"), ENDS4, TAIL);
KERNEL_TEMPLATE(net_6, U32("PID"), U32("size"), ENDS6, TAIL);
KERNEL_TEMPLATE(tcp_send_4,
	U32("PID"), U32("size"), ENDS4, U32("startime"), U32("endtime"), TAIL);
KERNEL_TEMPLATE(tcp_send_6,
	U32("PID"), U32("size"), ENDS6, U32("startime"), U32("endtime"), TAIL);
KERNEL_TEMPLATE(tcp_open_4, U32("PID"), U32("size"), ENDS4, OPTIONS, TAIL);
KERNEL_TEMPLATE(tcp_open_6, U32("PID"), U32("size"), ENDS6, OPTIONS, TAIL);
KERNEL_TEMPLATE(net_fail_v1, U32("Proto"));
KERNEL_TEMPLATE(net_fail, U16("Proto"), U16("FailureCode"));

static const struct etw_mf_task tcp = { .name = "TcpIp" };

#define TCP_OLD(v, its_fields)						\
	KERNEL_TYPE(tcp, 10, v, v, "Send", its_fields),			\
	KERNEL_TYPE(tcp, 11, v, v, "Recv", its_fields),			\
	KERNEL_TYPE(tcp, 12, v, v, "Connect", its_fields),		\
	KERNEL_TYPE(tcp, 13, v, v, "Disconnect", its_fields),		\
	KERNEL_TYPE(tcp, 14, v, v, "Retransmit", its_fields),		\
	KERNEL_TYPE(tcp, 15, v, v, "Accept", its_fields)
#define TCP(of_type, called, its_fields) \
	KERNEL_TYPE(tcp, of_type, 2, 255, called, its_fields)

static const struct etw_kernel_type tcp_types[] = {
	TCP_OLD(0, tcp_v0),
	TCP_OLD(1, net_v1),
	KERNEL_TYPE(tcp, 16, 1, 1, "Reconnect", net_v1),
	KERNEL_TYPE(tcp, 17, 1, 1, "Fail", net_fail_v1),
	KERNEL_TYPE(tcp, 18, 1, 1, "TCPCopy", net_v1),
	KERNEL_TYPE(tcp, 19, 1, 1, "ARPCopy", net_v1),
	KERNEL_TYPE(tcp, 20, 1, 1, "FullACK", net_v1),
	KERNEL_TYPE(tcp, 21, 1, 1, "PartACK", net_v1),
	KERNEL_TYPE(tcp, 22, 1, 1, "DupACK", net_v1),
	TCP(10, "SendIPV4", tcp_send_4),
	TCP(11, "RecvIPV4", net_4),
	TCP(12, "ConnectIPV4", tcp_open_4),
	TCP(13, "DisconnectIPV4", net_4),
	TCP(14, "RetransmitIPV4", net_4),
	TCP(15, "AcceptIPV4", tcp_open_4),
	TCP(16, "ReconnectIPV4", net_4),
	TCP(17, "Fail", net_fail),
	TCP(18, "TCPCopyIPV4", net_4),
	TCP(26, "SendIPV6", tcp_send_6),
	TCP(27, "RecvIPV6", net_6),
	TCP(28, "ConnectIPV6", tcp_open_6),
	TCP(29, "DisconnectIPV6", net_6),
	TCP(30, "RetransmitIPV6", net_6),
	TCP(31, "AcceptIPV6", tcp_open_6),
	TCP(32, "ReconnectIPV6", net_6),
	TCP(34, "TCPCopyIPV6", net_6),
};

const struct etw_kernel_class etw_kernel_tcp = {
	{ 0x9a280ac0, 0xc8e0, 0x11d1, { 0x84, 0xe2, 0x00, 0xc0, 0x4f, 0xb9, 0x98, 0xa2 } },
	tcp_types, KERNEL_COUNT(tcp_types), NULL
};

KERNEL_TEMPLATE(udp_v0,
	POINTER("context"), IPV4("saddr"), PORT("sport"), U16("size"), IPV4("daddr"),
	PORT("dport"), U16("dsize"));

static const struct etw_mf_task udp = { .name = "UdpIp" };

static const struct etw_kernel_type udp_types[] = {
	KERNEL_TYPE(udp, 10, 0, 0, "Send", udp_v0),
	KERNEL_TYPE(udp, 11, 0, 0, "Recv", udp_v0),
	KERNEL_TYPE(udp, 10, 1, 1, "Send", net_v1),
	KERNEL_TYPE(udp, 11, 1, 1, "Recv", net_v1),
	KERNEL_TYPE(udp, 10, 2, 255, "SendIPV4", net_4),
	KERNEL_TYPE(udp, 11, 2, 255, "RecvIPV4", net_4),
	KERNEL_TYPE(udp, 17, 2, 255, "Fail", net_fail),
	KERNEL_TYPE(udp, 26, 2, 255, "SendIPV6", net_6),
	KERNEL_TYPE(udp, 27, 2, 255, "RecvIPV6", net_6),
};

const struct etw_kernel_class etw_kernel_udp = {
	{ 0xbf3a50c5, 0xa9c9, 0x4988, { 0xa0, 0x05, 0x2d, 0xf0, 0xb7, 0xc8, 0x0f, 0x80 } },
	udp_types, KERNEL_COUNT(udp_types), NULL
};
