internal import CLibArchive
internal import Glibc
internal import Synchronization

/// Writes a ZIP to a new file, member after member, in bounded memory. Sizes over 4 GiB become ZIP64.
package final class ZipWriter: Sendable {
  private struct State {
    var archive: OpaquePointer?
    let descriptor: Int32
  }

  private let state: Mutex<State>
  /// The path of the file.
  package let path: String

  /// Creates the file, which only its owner can read.
  ///
  /// - Throws: ``ZipError``, also if the file exists.
  package init(path: String) throws(ZipError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw ZipError("cannot create \(path): \(String(cString: strerror(errno)))")
    }
    guard let archive = archive_write_new() else { throw ZipError("out of memory") }
    archive_write_set_format_zip(archive)
    guard archive_write_open_fd(archive, descriptor) == ARCHIVE_OK else { throw ZipError(archive) }
    state = Mutex(State(archive: archive, descriptor: descriptor))
    self.path = path
  }

  deinit {
    state.withLock { state in
      if let archive = state.archive { archive_write_free(archive) }
      close(state.descriptor)
    }
  }

  /// Begins a member and ends the one before.
  ///
  /// - Parameters:
  ///   - size: the number of bytes; nil if it is not known yet.
  ///   - isCompressed: false for bytes that do not become smaller.
  package func begin(_ name: String, size: Int? = nil, isCompressed: Bool = true) throws(ZipError) {
    try state.withLock { (state) throws(ZipError) in
      guard let archive = state.archive, let entry = archive_entry_new() else {
        throw ZipError("out of memory")
      }
      defer { archive_entry_free(entry) }
      let method =
        isCompressed
        ? archive_write_zip_set_compression_deflate(archive)
        : archive_write_zip_set_compression_store(archive)
      guard method == ARCHIVE_OK else { throw ZipError(archive) }
      archive_entry_set_pathname(entry, name)
      archive_entry_set_filetype(entry, regularFile)
      archive_entry_set_perm(entry, 0o600)
      if let size { archive_entry_set_size(entry, Int64(size)) }
      guard archive_write_header(archive, entry) == ARCHIVE_OK else { throw ZipError(archive) }
    }
  }

  /// Adds bytes to the member.
  package func write(_ bytes: [UInt8]) throws(ZipError) {
    try state.withLock { (state) throws(ZipError) in
      guard let archive = state.archive else { throw ZipError("the file is finished") }
      guard archive_write_data(archive, bytes, bytes.count) == bytes.count else { throw ZipError(archive) }
    }
  }

  /// Ends the file durably.
  package func finish() throws(ZipError) {
    try state.withLock { (state) throws(ZipError) in
      guard let archive = state.archive else { return }
      guard archive_write_close(archive) == ARCHIVE_OK, fsync(state.descriptor) == 0 else {
        throw ZipError(archive)
      }
      archive_write_free(archive)
      state.archive = nil
    }
  }
}
