// SPDX-License-Identifier: Apache-2.0
// Nothing: the headers that tests share are precompiled for this file.
