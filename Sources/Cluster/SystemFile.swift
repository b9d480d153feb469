internal import Glibc

/// File operations that need exact modes, owners and `errno`.
enum SystemFile {
  /// The whole content, or nil if the file cannot be read; also for `/proc`, whose files have no size.
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

  /// The whole content as text, or nil if the file cannot be read.
  static func text(at path: String) -> String? {
    bytes(at: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The status of `path` without following a symbolic link; nil if nothing exists there.
  static func status(of path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }

  /// The names in a folder; empty if it cannot be read.
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

  /// Replaces a small file atomically, with `owner` as its owner.
  static func replace(_ path: String, with text: String, owner: ServerUser) throws(ClusterError) {
    let hint = "check that the folder is writable and the disk is not full"
    let temporary = "\(path).\(getpid()).new"
    unlink(temporary)
    // O_EXCL: never write through another user's link.
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

  /// Makes `path` a folder with exactly this owner and mode, creating it and its parents as needed.
  static func makeDirectory(_ path: String, mode: mode_t, owner: ServerUser) throws(ClusterError) {
    try makeParents(of: path)
    let hint = "choose another place with FETTLE_HOME"
    if mkdir(path, mode) != 0, errno != EEXIST {
      throw .system(.homeUnusable, "cannot create \(path)", errno: errno, hint: hint)
    }
    guard let found = status(of: path), found.st_mode & S_IFMT == S_IFDIR else {
      throw ClusterError(.homeUnusable, "\(path) is not a folder", hint: hint)
    }
    // Root takes over its own folders only: another user's folder in /tmp could be replaced by a link
    // meanwhile.
    if found.st_uid != owner.uid, found.st_uid != 0 || geteuid() != 0 {
      throw ClusterError(
        .belongsToAnother,
        "\(path) belongs to another user (uid \(found.st_uid))",
        hint: "run as that user or as root, or choose another place with FETTLE_HOME"
      )
    }
    if found.st_uid != owner.uid, lchown(path, owner.uid, owner.gid) != 0 {
      throw .system(.homeUnusable, "cannot give \(path) to \(owner.name)", errno: errno, hint: hint)
    }
    // The umask may have removed bits in mkdir; an existing wider mode is narrowed.
    if found.st_mode & 0o7777 != mode, chmod(path, mode) != 0 {
      throw .system(.homeUnusable, "cannot set the mode of \(path)", errno: errno, hint: hint)
    }
  }

  /// Makes a rename in this folder survive a power failure.
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
    // Parents created by root can be entered by the server's user; those of other users stay private.
    let mode: mode_t = geteuid() == 0 ? 0o711 : 0o700
    guard mkdir(parent, mode) == 0 || errno == EEXIST, chmod(parent, mode) == 0 else {
      throw .system(
        .homeUnusable,
        "cannot create \(parent)",
        errno: errno,
        hint: "choose another place with FETTLE_HOME"
      )
    }
  }

  /// The parent folder of an absolute `path`.
  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// `path` as an absolute path without links, as far as it exists.
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

/// The system's message for an `errno`.
func systemMessage(_ code: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  strerror_r(code, &buffer, buffer.count)
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
