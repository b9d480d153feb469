internal import FoundationEssentials
internal import Glibc
internal import Secrets

/// The file that remembers erasures outside the database, so that a restore of an earlier backup repeats them.
///
/// A line has the kind, the SHA-256 of the id of the company or person, and the time. It names nobody.
package struct ErasureLedger: Sendable, Hashable {
  /// An erasure that was started.
  package struct Entry: Sendable, Hashable {
    /// `company` or `person`.
    package let kind: String
    /// The SHA-256 of the id.
    package let digest: [UInt8]

    package init(kind: String, digest: [UInt8]) {
      self.kind = kind
      self.digest = digest
    }
  }

  /// A step that failed.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package let path: String

  package init(path: String) { self.path = path }

  /// Returns the path named by `FETTLE_ERASURES`; else `fettle.erasures` in the folder of the witness.
  package static func locate(environment: [String: String], beside witness: WitnessFile) -> ErasureLedger {
    if let named = environment["FETTLE_ERASURES"], !named.isEmpty { return ErasureLedger(path: named) }
    let folder = witness.path.lastIndex(of: "/").map { String(witness.path[..<$0]) } ?? "."
    return ErasureLedger(path: "\(folder)/fettle.erasures")
  }

  /// Adds an erasure durably, unless the file has it.
  package func add(kind: String, digest: [UInt8]) throws {
    let entry = Entry(kind: kind, digest: digest)
    guard try !read().contains(entry) else { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex { mkdir(String(path[..<slash]), 0o700) }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("open") }
    defer { close(descriptor) }
    // The line before may have been cut off by a crash, and must not swallow this one.
    let bytes = Array("\n\(kind) \(Hex.encode(digest)) \(Date.now.ISO8601Format())\n".utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
      throw failure("write")
    }
  }

  /// Returns the erasures in the file; none if it does not exist. A line that was cut off counts for nothing.
  package func read() throws -> [Entry] {
    guard access(path, F_OK) == 0 || errno != ENOENT else { return [] }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count >= 2, ["company", "person"].contains(words[0]),
        let digest = Hex.decode(String(words[1])), digest.count == 32
      else { return nil }
      return Entry(kind: String(words[0]), digest: digest)
    }
  }

  private func failure(_ step: String) -> Failure {
    Failure(description: "cannot \(step) \(path): \(String(cString: strerror(errno)))")
  }
}
