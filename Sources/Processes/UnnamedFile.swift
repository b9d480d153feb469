internal import FoundationEssentials
internal import Glibc
package import SystemPackage

/// Input for a process, in a file without a name that disappears when it is closed.
///
/// A file needs no writer beside the process, as a pipe does: the process may end before it has read everything.
package enum UnnamedFile {
  /// Returns an open file with the bytes, positioned at its beginning. The caller closes it.
  ///
  /// - Throws: `Errno` if the file cannot be created or written.
  package static func containing(_ bytes: some Sequence<UInt8>) throws -> FileDescriptor {
    let name = "\(FileManager.default.temporaryDirectory.path)/fettle-\(UUID().uuidString)"
    // Closed at `exec` from the beginning: a program that another thread starts at this moment does not inherit it.
    let file = try FileDescriptor.open(
      FilePath(name),
      .readWrite,
      options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
      permissions: .ownerReadWrite
    )
    do {
      unlink(name)
      try file.writeAll(bytes)
      try file.seek(offset: 0, from: FileDescriptor.SeekOrigin.start)
      return file
    } catch {
      try? file.close()
      throw error
    }
  }
}
