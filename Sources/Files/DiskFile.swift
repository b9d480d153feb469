internal import FoundationEssentials
internal import Glibc

/// An open file of a ``DiskStore``. All functions block.
struct DiskFile: Sendable {
  private let descriptor: Int32

  /// Opens a file for reading.
  ///
  /// - Throws: `missing` if there is none.
  init(reading path: String) throws(FilesError) {
    try self.init(path, O_RDONLY)
  }

  /// Opens a file for writing, and creates it readable only by its owner.
  init(writing path: String) throws(FilesError) {
    try self.init(path, O_WRONLY | O_CREAT)
  }

  private init(_ path: String, _ flags: Int32) throws(FilesError) {
    descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure("open") }
  }

  func close() { _ = Glibc.close(descriptor) }

  /// Returns the size in bytes.
  func size() throws(FilesError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure("examine") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FilesError(.unavailable, "a stored file is not a regular file")
    }
    return Int(status.st_size)
  }

  /// Shortens the file.
  func truncate(to size: Int) throws(FilesError) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw Self.failure("write") }
  }

  /// Writes all bytes at an offset.
  func write(_ bytes: [UInt8], at offset: Int) throws(FilesError) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + done))
      }
      if count > 0 {
        done += count
      } else if errno != EINTR {
        throw Self.failure("write")
      }
    }
  }

  /// Returns a range of the bytes; fewer if the file ends before.
  func read(_ range: Range<Int>) throws(FilesError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var done = 0
    while done < range.count {
      let count = bytes[done...].withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(range.lowerBound + done))
      }
      if count == 0 { break }
      if count > 0 {
        done += count
      } else if errno != EINTR {
        throw Self.failure("read")
      }
    }
    return Array(bytes.prefix(done))
  }

  /// Makes the file's content survive a power failure.
  func synchronise() throws(FilesError) {
    guard fsync(descriptor) == 0 else { throw Self.failure("write") }
  }

  /// Creates a folder that only its owner can access, and its parents, durably.
  static func makeFolder(_ path: String) throws(FilesError) {
    if mkdir(path, 0o700) == 0 { return try synchroniseFolder(parent(of: path)) }
    switch errno {
    case EEXIST: return
    case ENOENT:
      try makeFolder(parent(of: path))
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("create a folder in") }
      try synchroniseFolder(parent(of: path))
    default: throw failure("create a folder in")
    }
  }

  /// Makes the entries of a folder survive a power failure.
  static func synchroniseFolder(_ path: String) throws(FilesError) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure("open") }
    defer { _ = Glibc.close(folder) }
    guard fsync(folder) == 0 else { throw failure("write") }
  }

  /// Renames a file. Replaces an existing one.
  static func rename(_ path: String, to other: String) throws(FilesError) {
    guard Glibc.rename(path, other) == 0 else { throw failure("rename a file in") }
  }

  /// Removes a file, if it exists.
  static func remove(_ path: String) throws(FilesError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove a file from") }
  }

  /// Removes the files of a folder that were not written to for a number of seconds. Returns their number.
  static func removeFiles(in path: String, olderThan seconds: Int) throws(FilesError) -> Int {
    guard let folder = opendir(path) else {
      guard errno == ENOENT else { throw failure("open") }
      return 0
    }
    defer { closedir(folder) }
    let limit = time(nil) - seconds
    var removed = 0
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_mtim.tv_sec <= limit
      else { continue }
      try remove("\(path)/\(name)")
      removed += 1
    }
    return removed
  }

  /// Removes a folder with all that is in it, if it exists.
  static func removeFolder(_ path: String) throws(FilesError) {
    guard access(path, F_OK) == 0 else { return }
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw FilesError(.unavailable, "cannot remove a folder of the store of files")
    }
    try synchroniseFolder(parent(of: path))
  }

  /// Returns the paths of the files below a folder, which may be missing.
  static func files(below path: String) -> [String] {
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
    return paths.filter { name in
      var status = stat()
      return lstat("\(path)/\(name)", &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the error for the system call that has just failed.
  private static func failure(_ verb: String) -> FilesError {
    switch errno {
    case ENOENT: FilesError(.missing, "there is no such stored file")
    case ENOSPC, EDQUOT: FilesError(.full, "the store of files has no space left")
    default:
      FilesError(.unavailable, "cannot \(verb) the store of files: \(String(cString: strerror(errno)))")
    }
  }
}
