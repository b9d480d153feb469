internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Secrets
internal import Store
internal import Zip

/// An archive that was opened: its manifest, and its members by name.
struct ArchiveReader: Sendable {
  /// The greatest number of bytes of a manifest.
  private static let manifestLimit = 16 << 20
  /// The greatest number of bytes of a line.
  private static let lineLimit = 256 << 20
  /// How many times larger than the file its content may be; a smaller file may have this many bytes in any case.
  private static let (ratioLimit, freeBytes) = (200, 64 << 20)

  let path: String
  let manifest: ArchiveManifest

  /// Opens a file and reads its manifest.
  ///
  /// - Throws: `invalid_document` for a file that is no archive, or one of another format, or too large for its size.
  init(path: String) throws {
    self.path = path
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw DomainError(.notFound, "there is no file \(path)") }
    let size = Int(facts.st_size)
    manifest = try Self.reading {
      var zip = try ZipReader(path: path)
      while let member = try zip.next() {
        guard member.name == ArchiveManifest.name else { continue }
        let bytes = try Self.all(&zip, limit: Self.manifestLimit, ArchiveManifest.name)
        return try JSON(text: String(decoding: bytes, as: UTF8.self)).decoded(as: ArchiveManifest.self)
      }
      throw Self.fault("it has no manifest")
    }
    guard manifest.format == ArchiveManifest.format else {
      throw Self.fault("its format is \(manifest.format), and this program reads \(ArchiveManifest.format)")
    }
    let sizes = manifest.members.map(\.bytes) + [manifest.fileBytes, manifest.files]
    let (limit, _) = size.multipliedReportingOverflow(by: Self.ratioLimit)
    var total = 0
    for bytes in sizes {
      let (sum, isTooLarge) = total.addingReportingOverflow(bytes)
      guard bytes >= 0, !isTooLarge, sum <= max(limit, Self.freeBytes) else {
        throw Self.fault("it would unpack to more than \(Self.ratioLimit) times its size")
      }
      total = sum
    }
  }

  /// Calls a body with each line of a member, without its line feed. A member that the archive does not have has no lines.
  func forEachLine(of name: String, _ body: ([UInt8]) throws -> Void) throws {
    guard let expected = manifest.members.first(where: { $0.name == name }) else { return }
    try Self.reading {
      var zip = try ZipReader(path: path)
      while let member = try zip.next() {
        guard member.name == name else { continue }
        var (line, total): ([UInt8], Int) = ([], 0)
        while case let bytes = try zip.read(), !bytes.isEmpty {
          total += bytes.count
          guard total <= expected.bytes else { throw Self.fault("\(name) is longer than its manifest says") }
          var start = 0
          while let end = Self.lineEnd(in: bytes, from: start) {
            line += bytes[start..<end]
            try body(line)
            line.removeAll(keepingCapacity: true)
            start = end + 1
          }
          line += bytes[start...]
          guard line.count <= Self.lineLimit else { throw Self.fault("\(name) has a line that is too long") }
        }
        return
      }
      throw Self.fault("\(name) is missing")
    }
  }

  /// Returns the place of the next line feed.
  static func lineEnd(in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress else { return nil }
      return memchr(base + start, 0x0A, bytes.count - start).map { UnsafeRawPointer($0) - base }
    }
  }

  /// Reads a member whole.
  static func all(_ zip: inout ZipReader, limit: Int, _ name: String) throws -> [UInt8] {
    var all: [UInt8] = []
    while case let bytes = try zip.read(), !bytes.isEmpty {
      all += bytes
      guard all.count <= limit else { throw fault("\(name) is longer than \(limit) bytes") }
    }
    return all
  }

  /// Runs a body, and translates the errors of a damaged ZIP.
  static func reading<Value: ~Copyable>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as ZipError {
      throw fault(error.description)
    } catch let error as JSONError {
      throw fault(error.description)
    } catch let error as DecodingError {
      throw fault("its manifest cannot be read: \(error)")
    }
  }

  /// The error for an archive that is refused.
  static func fault(_ reason: String) -> DomainError {
    DomainError(
      .invalidDocument,
      "the archive is refused: \(reason)",
      hint: "fetch the file again, or make it again with `fettle company export`"
    )
  }
}

extension ArchiveReader {
  /// Calls a body with the digest and the bytes of each stored file, which ``ArchiveCheck`` has compared.
  func forEachFile(_ sizes: [[UInt8]: Int], _ body: ([UInt8], [UInt8]) async throws -> Void) async throws {
    guard !sizes.isEmpty else { return }
    var zip = try Self.reading { try ZipReader(path: path) }
    while let member = try Self.reading({ try zip.next() }) {
      guard let name = member.name, name.hasPrefix(ArchiveManifest.fileFolder),
        let digest = Hex.decode(String(name.dropFirst(ArchiveManifest.fileFolder.count))),
        let size = sizes[digest]
      else { continue }
      let bytes = try Self.reading { try Self.all(&zip, limit: size, name) }
      // The file may have been exchanged since it was checked.
      guard SHA256.hash(bytes) == digest else { throw Self.fault("\(name) has changed") }
      try await body(digest, bytes)
    }
  }
}
