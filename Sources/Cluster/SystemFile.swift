internal import Glibc

/// File operations with exact modes and owners, and with `errno` for errors.
enum SystemFile {
  /// Returns the whole content; nil if the file cannot be read. Also works for `/proc`, whose files have no
  /// size.
  static func bytes(at path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return content }
      if count < 0 {
        if errno == EINTR { continue }
        return nil
      }
      content += chunk[..<count]
    }
  }

  /// Returns the whole content as text; nil if the file cannot be read.
  static func text(at path: String) -> String? {
    bytes(at: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the status of `path` without following a symbolic link; nil if `path` does not exist.
  static func status(of path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }

  /// Returns the names in a folder, including `.` and `..`; empty if the folder cannot be read.
  static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
      )
    }
    return names
  }

  /// Replaces a small file atomically, with `owner` as its owner and mode 0600.
  ///
  /// - Throws: ``ClusterError`` of kind `homeUnusable`.
  static func replace(_ path: String, with text: String, owner: ServerUser) throws(ClusterError) {
    let hint = "check that the folder is writable and the disk is not full"
    let temporary = "\(path).\(getpid()).new"
    unlink(temporary)
    // O_EXCL, so that nothing is written through another user's link.
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .system(.homeUnusable, "cannot write \(path)", errno: errno, hint: hint)
    }
    defer { close(descriptor) }
    let content = Array(text.utf8)
    guard
      write(descriptor, content, content.count) == content.count,
      fchown(descriptor, owner.uid, owner.gid) == 0,
      fsync(descriptor) == 0,
      rename(temporary, path) == 0
    else {
      let code = errno
      unlink(temporary)
      throw .system(.homeUnusable, "cannot write \(path)", errno: code, hint: hint)
    }
  }

  /// Creates a folder and its missing parents, or adapts an existing folder, to have exactly this owner and
  /// mode.
  ///
  /// - Throws: ``ClusterError`` of kind `belongsToAnother` if the folder belongs to another user, unless root
  ///   takes over a folder of its own; `homeUnusable` for other failures.
  static func makeDirectory(_ path: String, mode: mode_t, owner: ServerUser) throws(ClusterError) {
    try makeParents(of: path)
    let hint = "set FETTLE_HOME to another folder"
    if mkdir(path, mode) != 0, errno != EEXIST {
      throw .system(.homeUnusable, "cannot create \(path)", errno: errno, hint: hint)
    }
    guard let found = status(of: path), found.st_mode & S_IFMT == S_IFDIR else {
      throw ClusterError(.homeUnusable, "\(path) is not a folder", hint: hint)
    }
    // Root changes the owner of its own folders only, because another user could replace their folder in /tmp
    // by a link before the change.
    if found.st_uid != owner.uid, found.st_uid != 0 || geteuid() != 0 {
      throw ClusterError(
        .belongsToAnother,
        "\(path) belongs to another user (uid \(found.st_uid))",
        hint: "run the command as that user or as root, or set FETTLE_HOME to another folder"
      )
    }
    if found.st_uid != owner.uid, lchown(path, owner.uid, owner.gid) != 0 {
      throw .system(.homeUnusable, "cannot give \(path) to \(owner.name)", errno: errno, hint: hint)
    }
    // The umask may have removed bits from the mode, and an existing folder may have another mode.
    if found.st_mode & 0o7777 != mode, chmod(path, mode) != 0 {
      throw .system(.homeUnusable, "cannot set the mode of \(path)", errno: errno, hint: hint)
    }
  }

  /// Synchronises a folder to disk, so that a rename in it survives a power failure.
  static func synchronise(directory: String) {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private static func makeParents(of path: String) throws(ClusterError) {
    let parent = parent(of: path)
    guard !exists(parent), parent != "/" else { return }
    try makeParents(of: parent)
    // The server's user must be able to enter parents created by root; those of other users stay private.
    let mode: mode_t = geteuid() == 0 ? 0o711 : 0o700
    guard mkdir(parent, mode) == 0 || errno == EEXIST, chmod(parent, mode) == 0 else {
      throw .system(
        .homeUnusable,
        "cannot create \(parent)",
        errno: errno,
        hint: "set FETTLE_HOME to another folder"
      )
    }
  }

  /// Returns the parent folder of an absolute path.
  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// Returns the absolute path of `path`, with links resolved in the part that exists.
  static func canonical(_ path: String) -> String {
    let absolute = path.hasPrefix("/") ? path : "\(currentDirectory())/\(path)"
    let trimmed = absolute.count > 1 && absolute.hasSuffix("/") ? String(absolute.dropLast()) : absolute
    if let resolved = realpath(trimmed, nil) {
      defer { free(resolved) }
      return String(cString: resolved)
    }
    guard trimmed != "/" else { return "/" }
    let name = trimmed.split(separator: "/").last ?? ""
    let folder = canonical(parent(of: trimmed))
    return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

  static func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}

/// Returns the system's message for an `errno`.
func systemMessage(_ code: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  strerror_r(code, &buffer, buffer.count)
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
