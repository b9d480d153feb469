internal import Domain
internal import FoundationEssentials
internal import Secrets
internal import Values
internal import Zip

/// Checks every byte of an archive against its manifest before anything of it is used, and finds the ids of its rows.
///
/// The manifest is not signed: a member that was replaced together with its line in the manifest passes. The check finds damage,
/// and members that were added, left out, exchanged or doubled.
struct ArchiveCheck {
  private let archive: ArchiveReader
  /// The columns with ids of rows by member; empty if ids stay.
  private let idColumns: [String: [String]]
  /// The ids of rows.
  private(set) var ids: Set<UUID> = []
  /// The sizes of the stored files by digest.
  private(set) var files: [[UInt8]: Int] = [:]

  init(_ archive: ArchiveReader, idColumns: [String: [String]] = [:]) {
    self.archive = archive
    self.idColumns = idColumns
  }

  /// Checks the archive.
  ///
  /// - Throws: `invalid_document`, which names the member.
  mutating func run() throws {
    let manifest = archive.manifest
    try checkList()
    try readFileList()
    guard files.count == manifest.files, files.values.reduce(0, +) == manifest.fileBytes else {
      throw ArchiveReader.fault("it has another number of files than its manifest says")
    }
    var expected: [String: ArchiveManifest.Lines] = [:]
    for lines in manifest.members {
      guard expected.updateValue(lines, forKey: lines.name) == nil else {
        throw ArchiveReader.fault("\(lines.name) is twice in its manifest")
      }
    }
    var isOpen = true
    var missing = files
    try ArchiveReader.reading {
      var zip = try ZipReader(path: archive.path)
      while let member = try zip.next() {
        guard let name = member.name else { throw ArchiveReader.fault("a member has no name") }
        if name == ArchiveManifest.name, isOpen {
          isOpen = false
        } else if let lines = expected.removeValue(forKey: name) {
          try check(&zip, member, lines)
        } else if name.hasPrefix(ArchiveManifest.fileFolder),
          let digest = Hex.decode(String(name.dropFirst(ArchiveManifest.fileFolder.count))),
          let size = missing.removeValue(forKey: digest)
        {
          let bytes = try ArchiveReader.all(&zip, limit: size, name)
          guard bytes.count == size, SHA256.hash(bytes) == digest else { throw Self.changed(name) }
        } else {
          throw ArchiveReader.fault("\(Quoted(name)) is twice in it, or not in its manifest")
        }
      }
    }
    guard expected.isEmpty, missing.isEmpty else {
      let name = expected.keys.min() ?? "\(missing.count) files"
      throw ArchiveReader.fault("\(name) is missing")
    }
  }

  /// Compares the list at the end of the file with the manifest, so that a name or a size that is wrong is found before
  /// anything is unpacked.
  private func checkList() throws {
    let manifest = archive.manifest
    let sizes = Dictionary(manifest.members.map { ($0.name, $0.bytes) }) { first, _ in first }
    var (names, files, fileBytes): (Set<String>, Int, Int) = ([], 0, 0)
    try ArchiveReader.reading {
      var zip = try ZipReader(path: archive.path)
      while let member = try zip.next() {
        guard let name = member.name, member.isFile, !Self.leavesFolder(name) else {
          throw ArchiveReader.fault(
            "\(Quoted(member.name ?? "a member")) is no file inside the archive"
          )
        }
        guard names.insert(name).inserted else { throw ArchiveReader.fault("\(Quoted(name)) is twice in it") }
        if name == ArchiveManifest.name { continue }
        if let size = sizes[name] {
          guard member.size == nil || member.size == size else { throw Self.changed(name) }
        } else if name.hasPrefix(ArchiveManifest.fileFolder) {
          files += 1
          let (sum, isTooLarge) = fileBytes.addingReportingOverflow(member.size ?? 0)
          guard files <= manifest.files, !isTooLarge, sum <= manifest.fileBytes else {
            throw ArchiveReader.fault("it has more files than its manifest says, such as \(Quoted(name))")
          }
          fileBytes = sum
        } else {
          throw ArchiveReader.fault("\(Quoted(name)) is not in its manifest")
        }
      }
    }
    if let name = sizes.keys.filter({ !names.contains($0) }).min() {
      throw ArchiveReader.fault("\(name) is missing")
    }
  }

  /// Compares a member with the manifest, byte by byte in bounded memory.
  private mutating func check(
    _ zip: inout ZipReader,
    _ member: ZipReader.Member,
    _ expected: ArchiveManifest.Lines
  ) throws {
    guard member.size == nil || member.size == expected.bytes else { throw Self.changed(expected.name) }
    var (bytes, rows, digest): (Int, Int64, SHA256Stream) = (0, 0, SHA256Stream())
    while case let piece = try zip.read(), !piece.isEmpty {
      bytes += piece.count
      guard bytes <= expected.bytes else { throw Self.changed(expected.name) }
      var start = 0
      while let end = ArchiveReader.lineEnd(in: piece, from: start) {
        rows += 1
        start = end + 1
      }
      digest.update(piece)
    }
    guard bytes == expected.bytes, rows == expected.rows, Hex.encode(digest.digest()) == expected.sha256
    else { throw Self.changed(expected.name) }
    if let columns = idColumns[expected.name] { try collect(columns, from: expected.name) }
  }

  private mutating func collect(_ columns: [String], from member: String) throws {
    var found: Set<UUID> = []
    try archive.forEachLine(of: member) { line in
      for case let text? in try ArchiveLine.strings(of: columns, in: line) {
        if let id = UUID(uuidString: text) { found.insert(id) }
      }
    }
    ids.formUnion(found)
  }

  private mutating func readFileList() throws {
    var found: [[UInt8]: Int] = [:]
    try archive.forEachLine(of: ArchiveManifest.member(of: "core.blob")) { line in
      let row = try ArchiveLine.object(line)
      guard row["stored_at"]?.string != nil, row["removing_at"]?.string == nil else { return }
      guard let digest = row["sha256"]?.string.flatMap({ Hex.decode(String($0.dropFirst(2))) }),
        digest.count == 32, let size = row["size_bytes"]?.number.flatMap({ Int("\($0)") }),
        // So that the sum of all cannot overflow.
        (0...archive.manifest.fileBytes).contains(size)
      else { throw ArchiveReader.fault("a file has no digest or size") }
      found[digest] = size
    }
    files = found
  }

  private static func leavesFolder(_ name: String) -> Bool {
    name.hasPrefix("/") || name.split(separator: "/", omittingEmptySubsequences: false).contains("..")
  }

  private static func changed(_ name: String) -> DomainError {
    ArchiveReader.fault("\(name) is not what its manifest says")
  }
}
