internal import Glibc

/// Passwords that an operator excludes, for example those of a published breach.
///
/// A file has one password a line, or its SHA-1 in hexadecimal digits, optionally with a colon and a count after
/// it, as such lists are published. The list keeps 8 bytes of each hash in memory.
package struct PasswordList: Sendable {
  /// The environment variable with the path of the file.
  package static let variable = "FETTLE_PASSWORD_LIST"

  /// The first 8 bytes of each SHA-1, ascending.
  private let hashes: [UInt64]

  /// The number of passwords.
  package var count: Int { hashes.count }

  /// Reads the file that the environment names.
  ///
  /// - Returns: nil if it names none.
  /// - Throws: `passwordListUnusable` if the file cannot be read or is empty.
  package static func named(in environment: [String: String]) throws(SecretsError) -> PasswordList? {
    guard let path = environment[variable], !path.isEmpty else { return nil }
    return try PasswordList(path: path)
  }

  /// Reads a file.
  ///
  /// - Throws: `passwordListUnusable` if the file cannot be read or is empty.
  package init(path: String) throws(SecretsError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.unusable(path, String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var hashes: [UInt64] = []
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.unusable(path, String(cString: strerror(errno))) }
      for byte in buffer[..<count] {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        if let hash = Self.hash(ofLine: line) { hashes.append(hash) }
        line.removeAll(keepingCapacity: true)
      }
      if count == 0 { break }
    }
    if let hash = Self.hash(ofLine: line) { hashes.append(hash) }
    guard !hashes.isEmpty else { throw Self.unusable(path, "it is empty") }
    hashes.sort()
    self.hashes = hashes
  }

  /// True if the list has a password, or the password in lower case.
  package func contains(_ password: String) -> Bool {
    has(Self.hash(of: Array(password.utf8))) || has(Self.hash(of: Array(password.lowercased().utf8)))
  }

  private func has(_ hash: UInt64) -> Bool {
    var (low, high) = (0, hashes.count)
    while low < high {
      let middle = (low + high) / 2
      if hashes[middle] < hash { low = middle + 1 } else { high = middle }
    }
    return low < hashes.count && hashes[low] == hash
  }

  /// Returns the hash of a line; nil for an empty one.
  private static func hash(ofLine line: [UInt8]) -> UInt64? {
    var line = line[...]
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    guard !line.isEmpty else { return nil }
    if line.count == 40 || line.dropFirst(40).first == UInt8(ascii: ":"),
      let digits = String(validating: line.prefix(40), as: UTF8.self), let bytes = Hex.decode(digits)
    {
      return number(bytes)
    }
    return hash(of: Array(line))
  }

  private static func hash(of bytes: [UInt8]) -> UInt64 {
    var stream = SHA1Stream()
    stream.update(bytes)
    return number(stream.digest())
  }

  private static func number(_ bytes: [UInt8]) -> UInt64 {
    bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func unusable(_ path: String, _ reason: String) -> SecretsError {
    SecretsError(
      .passwordListUnusable,
      "the password list \(path) cannot be read: \(reason)",
      hint: "let \(variable) name a file with one password or SHA-1 a line, or unset it"
    )
  }
}
