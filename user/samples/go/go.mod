// SPDX-License-Identifier: MIT

module etw-sample

go 1.19
