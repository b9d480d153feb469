internal import CLibArchive
internal import Glibc

/// Reads the members of a ZIP one after the other, in bounded memory. Names and sizes are those that the file states: the
/// caller checks them.
package struct ZipReader: ~Copyable {
  /// A member.
  package struct Member: Sendable, Hashable {
    /// The name that the file states; nil if it is no text.
    package let name: String?
    /// The number of bytes that the file states; nil if it states none.
    package let size: Int?
    /// False for a folder, a link or a device.
    package let isFile: Bool
  }

  private let archive: OpaquePointer
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)

  /// Opens a file.
  ///
  /// - Throws: ``ZipError``.
  package init(path: String) throws(ZipError) {
    guard let opened = archive_read_new() else { throw ZipError("out of memory") }
    // The list at the end of the file counts, as for every program that opens a ZIP.
    archive_read_support_format_zip_seekable(opened)
    guard archive_read_open_filename(opened, path, 1 << 16) == ARCHIVE_OK else {
      let error = ZipError(opened)
      archive_read_free(opened)
      throw error
    }
    archive = opened
  }

  deinit { archive_read_free(archive) }

  /// Returns the next member; nil at the end. The bytes of the one before need not be read.
  package mutating func next() throws(ZipError) -> Member? {
    var entry: OpaquePointer?
    let result = archive_read_next_header(archive, &entry)
    if result == ARCHIVE_EOF { return nil }
    guard result == ARCHIVE_OK || result == ARCHIVE_WARN, let entry else { throw ZipError(archive) }
    let size = archive_entry_size_is_set(entry) != 0 ? archive_entry_size(entry) : -1
    return Member(
      name: archive_entry_pathname(entry).map { String(cString: $0) },
      size: size >= 0 ? Int(size) : nil,
      isFile: archive_entry_filetype(entry) == regularFile && archive_entry_is_encrypted(entry) == 0
    )
  }

  /// Returns the next bytes of the member; nothing at its end.
  ///
  /// - Throws: ``ZipError``, also if they do not match the checksum in the file.
  package mutating func read() throws(ZipError) -> [UInt8] {
    let count = archive_read_data(archive, &buffer, buffer.count)
    guard count >= 0 else { throw ZipError(archive) }
    return Array(buffer[..<count])
  }
}
