// SPDX-License-Identifier: GPL-2.0-only

module etw-conformance

go 1.19

require etw-sample v0.0.0

replace etw-sample => ../../../user/samples/go
