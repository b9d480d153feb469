internal import CLibArchive

/// A ZIP that cannot be read or written.
package struct ZipError: Error, Sendable, CustomStringConvertible {
  /// The reason, in one line.
  package let description: String

  package init(_ description: String) { self.description = description }

  /// The last error of libarchive.
  init(_ archive: OpaquePointer) {
    description = archive_error_string(archive).map { String(cString: $0) } ?? "unknown error"
  }
}

/// `AE_IFREG`, a cast that Swift does not import: the type of a member that is a file.
let regularFile: UInt32 = 0o100000
