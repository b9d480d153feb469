internal import Glibc

/// The file of a ``Witness``. Several processes on a machine share it.
package struct WitnessFile: Sendable, Hashable {
  /// A step that failed.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package let path: String

  package init(path: String) { self.path = path }

  /// Returns the path named by `FETTLE_WITNESS`; else `fettle.witness` in the folder of the keys, or in `home` if the
  /// keys are a systemd credential, whose folder nobody can write.
  package static func locate(
    environment: [String: String],
    keys: String,
    isCredential: Bool,
    home: String
  ) -> WitnessFile {
    if let named = environment["FETTLE_WITNESS"], !named.isEmpty { return WitnessFile(path: named) }
    let slash = keys.lastIndex(of: "/")
    let folder = isCredential ? home : slash.map { String(keys[..<$0]) } ?? "."
    return WitnessFile(path: "\(folder)/fettle.witness")
  }

  /// Reads the witness; nil if there is none, or none that can be read.
  package func read() -> Witness? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 512)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return Witness(text: String(decoding: buffer[..<count], as: UTF8.self))
  }

  /// Replaces the file, so that it has the old or the new content after a crash.
  package func write(_ witness: Witness) throws(Failure) {
    // The first connection writes the witness, before a new installation has a folder for its keys.
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex { mkdir(String(path[..<slash]), 0o700) }
    let draft = "\(path).\(getpid())"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("create", draft) }
    let bytes = Array(witness.text.utf8)
    let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    close(descriptor)
    guard isWritten, rename(draft, path) == 0 else {
      let failure = failure("write", path)
      unlink(draft)
      throw failure
    }
    let folder = open(
      path.lastIndex(of: "/").map { String(path[..<$0]) + "/" } ?? ".",
      O_RDONLY | O_DIRECTORY
    )
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private func failure(_ step: String, _ path: String) -> Failure {
    Failure(description: "cannot \(step) \(path): \(String(cString: strerror(errno)))")
  }
}
