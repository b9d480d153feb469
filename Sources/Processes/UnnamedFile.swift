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
    var name = Array("\(FileManager.default.temporaryDirectory.path)/fettle-XXXXXX".utf8CString)
    let file = FileDescriptor(rawValue: mkstemp(&name))
    guard file.rawValue >= 0 else { throw Errno(rawValue: errno) }
    // Programs that other threads start do not inherit it.
    _ = fcntl(file.rawValue, F_SETFD, FD_CLOEXEC)
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
