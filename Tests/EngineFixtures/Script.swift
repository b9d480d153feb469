internal import FoundationEssentials
internal import Glibc
internal import Testing

/// A short program, and the files it writes beside itself.
package struct Script: Sendable {
  package let path: String

  package init(_ lines: String) throws {
    path = "/tmp/fettle-program-\(UUID().uuidString)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o700)
    try #require(descriptor >= 0)
    let bytes = Array("#!/bin/sh\n\(lines)\n".utf8)
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
  }

  /// The content of a file written by the program.
  package func text(_ suffix: String) throws -> String {
    let descriptor = open(path + suffix, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }

  package func remove() {
    for suffix in ["", ".in", ".env", ".once", ".child"] { unlink(path + suffix) }
  }
}
