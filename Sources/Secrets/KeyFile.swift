internal import Glibc

/// The file with the keys: readable only by its owner, or a systemd credential.
package struct KeyFile: Sendable, Equatable {
  /// The kind of key file, which determines how its permissions are checked.
  package enum Origin: Sendable, Equatable {
    /// A regular file with mode 0600 or stricter.
    case file
    /// A file in `$CREDENTIALS_DIRECTORY` that systemd provides for this service alone. Its group bits are
    /// the mask of an access control list: the group may have the right to read, but not to write.
    case credential
  }

  /// The file's path.
  package let path: String
  /// The kind of the file.
  package let origin: Origin
  /// True if somebody chose the path, rather than Fettle by the current folder. From a path that Fettle found,
  /// root reads no file of another user.
  package let isChosen: Bool

  /// Refers to a key file, which may not exist.
  package init(path: String, origin: Origin = .file, isChosen: Bool = true) {
    self.path = path
    self.origin = origin
    self.isChosen = isChosen
  }

  /// Returns the key file to use: the file named by `FETTLE_KEY_FILE`; else `fettle.key` in systemd's
  /// `CREDENTIALS_DIRECTORY`, if it exists; else the default path.
  package static func locate(environment: [String: String], default path: String) -> KeyFile {
    if let named = environment["FETTLE_KEY_FILE"], !named.isEmpty {
      return KeyFile(path: named)
    }
    if let directory = environment["CREDENTIALS_DIRECTORY"], !directory.isEmpty {
      let credential = directory + "/fettle.key"
      if access(credential, F_OK) == 0 { return KeyFile(path: credential, origin: .credential) }
    }
    return KeyFile(path: path, isChosen: environment["FETTLE_HOME"]?.isEmpty == false)
  }

  /// Reads the keys. If a purpose is newer than the file, completes the file with a new random key; a systemd
  /// credential is refused instead, because nobody can write it.
  ///
  /// - Throws: `keyFileMissing`, `keyFileExposed`, `keyFileMalformed` or `keyFileUnusable`.
  package func read() throws(SecretsError) -> Keys {
    let keys = try readAsIs()
    guard let purpose = keys.missing.first else { return keys }
    guard origin == .file else {
      throw SecretsError(
        .keyFileMalformed,
        "the key file \(path) has no \(purpose.rawValue) key",
        hint: "add a line `\(purpose.rawValue) 1 $(openssl rand -base64 32)` to the credential's source"
      )
    }
    return try complete()
  }

  /// Adds a random key for each purpose that the file lacks. Processes that do this at the same time get the
  /// same keys: each locks the file that it finds, and reads again what is at the path then.
  private func complete() throws(SecretsError) -> Keys {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unusable("read") }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw unusable("lock") }
    }
    var keys = try readAsIs()
    guard !keys.missing.isEmpty else { return keys }
    for purpose in keys.missing { keys.rotate(purpose) }
    try replace(with: keys)
    return keys
  }

  private func readAsIs() throws(SecretsError) -> Keys {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw unusable("read") }
      throw SecretsError(
        .keyFileMissing,
        "there is no key file at \(path)",
        hint: "restore it from your backup, or set FETTLE_KEY_FILE to its path"
      )
    }
    defer { close(descriptor) }
    try judge(descriptor)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { break }
      if count > 0 {
        bytes += buffer[..<count]
      } else if errno != EINTR {
        throw unusable("read")
      }
    }
    return try Keys(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Reads the keys. If the file does not exist, creates it with new random keys; a missing systemd
  /// credential is an error.
  ///
  /// Two processes that call this at the same time get the same keys.
  ///
  /// - Throws: as ``read()``.
  package func readOrCreate() throws(SecretsError) -> Keys {
    do {
      return try read()
    } catch  where error.kind == .keyFileMissing && origin == .file {
      try create(Keys.random())
      return try read()
    }
  }

  /// Replaces the file's keys atomically, for example after a rotation: after a crash the file is the old or
  /// the new one.
  ///
  /// - Throws: `keyFileUnusable`.
  package func replace(with keys: Keys) throws(SecretsError) {
    let temporary = try writeTemporary(keys)
    guard rename(temporary, path) == 0 else {
      unlink(temporary)
      throw unusable("write")
    }
    syncDirectory()
  }

  /// Creates the file, or keeps the one that another process has just created.
  func create(_ keys: Keys) throws(SecretsError) {
    let temporary = try writeTemporary(keys)
    defer { unlink(temporary) }
    // Unlike rename, link does not replace an existing file.
    guard link(temporary, path) == 0 || errno == EEXIST else { throw unusable("write") }
    syncDirectory()
  }

  /// Checks that the open file is a regular file of this user or root, with the permissions that its origin
  /// allows. At a chosen path, root may read a file of any owner.
  ///
  /// - Throws: `keyFileExposed` or `keyFileUnusable`.
  private func judge(_ descriptor: Int32) throws(SecretsError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unusable("examine") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SecretsError(.keyFileUnusable, "\(path) is not a regular file")
    }
    let user = geteuid()
    guard status.st_uid == user || status.st_uid == 0 || user == 0 && isChosen else {
      throw SecretsError(
        .keyFileExposed,
        "the key file \(path) belongs to another user",
        hint: user == 0 ? "name it with FETTLE_KEY_FILE to use it" : "chown \(user) \(path)"
      )
    }
    let forbidden: mode_t = origin == .file ? 0o077 : 0o027
    guard status.st_mode & forbidden == 0 else {
      let mode = String(status.st_mode & 0o7777, radix: 8)
      throw SecretsError(
        .keyFileExposed,
        "the key file \(path) can be read or written by others than its owner (mode \(mode))",
        hint: "chmod 600 \(path), and rotate the keys if somebody may have read them"
      )
    }
  }

  /// Writes the keys to a new file of mode 0600 in the same directory, and returns its path.
  private func writeTemporary(_ keys: Keys) throws(SecretsError) -> String {
    let temporary = "\(path).\(Hex.encode(SecureRandom.bytes(6)))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw unusable("write") }
    defer { close(descriptor) }
    var rest = Array(keys.text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        defer { unlink(temporary) }
        throw unusable("write")
      }
    }
    // A restrictive umask may have removed permissions; it never adds any.
    guard fsync(descriptor) == 0 else {
      defer { unlink(temporary) }
      throw unusable("write")
    }
    return temporary
  }

  /// Makes a rename or link survive a power failure. Otherwise the old file, or no file, may be found
  /// afterwards.
  private func syncDirectory() {
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Returns the error for the system call that has just failed.
  private func unusable(_ verb: String) -> SecretsError {
    let reason = String(cString: strerror(errno))
    return SecretsError(
      .keyFileUnusable,
      "cannot \(verb) the key file \(path): \(reason)",
      hint: "check the directory and its permissions, or name another file with FETTLE_KEY_FILE"
    )
  }
}
