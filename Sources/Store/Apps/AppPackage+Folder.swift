internal import Domain
internal import FoundationEssentials

extension AppPackage {
  /// The maximum size of an app's files together; they are written by people.
  private static let limits = DocumentLimits(bytes: 8_000_000, nodes: DocumentLimits.written.nodes)

  /// Reads an app from a folder of this machine.
  ///
  /// - Throws: `not_found` if there is no such folder, `invalid_document` if a file cannot be read or the
  ///   files are larger than 8,000,000 bytes together, and the errors of ``init(files:document:)``.
  package static func folder(_ path: String) throws -> AppPackage {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder else {
      throw DomainError(
        .notFound,
        "there is no folder \(Quoted(path))",
        hint:
          "name a folder with a manifest, or one of the embedded apps: \(Installation.embeddedApps.joined(separator: ", "))"
      )
    }
    var files: [AppFile] = []
    var total = 0
    for name in try names(in: path) where AppFile.counts(name) {
      var bytes: [UInt8] = []
      do {
        try FileChunks(path: "\(path)/\(name)").forEach { chunk in
          total += chunk.count
          guard total <= limits.bytes else {
            throw DomainError(
              .invalidDocument,
              "\(Quoted(path)) holds more than \(limits.bytes) bytes of YAML and SQL"
            )
          }
          bytes += chunk
        }
      } catch let error as DomainError where [.invalidImport, .notFound].contains(error.code) {
        throw DomainError(.invalidDocument, error.message, hint: "check the permissions of the file")
      }
      files.append(AppFile(name, bytes))
    }
    return try AppPackage(files: files, document: path)
  }

  /// Reads an embedded app by its name, or an app from a folder.
  ///
  /// An embedded app has precedence over a folder of its name. The path of a file, such as a manifest, means
  /// the folder of the file.
  ///
  /// - Throws: `not_found` if there is no such app or folder, and the errors of ``folder(_:)``.
  package static func named(_ nameOrFolder: String) throws -> AppPackage {
    if Installation.embeddedApps.contains(nameOrFolder) { return try embedded(nameOrFolder) }
    var isFolder = false
    let exists = FileManager.default.fileExists(atPath: nameOrFolder, isDirectory: &isFolder)
    if !exists, Identifier.isWord(nameOrFolder) { return try embedded(nameOrFolder) }
    if exists, !isFolder, let slash = nameOrFolder.lastIndex(of: "/") {
      return try folder(String(nameOrFolder[..<slash]))  // the manifest
    }
    return try folder(exists && !isFolder ? "." : nameOrFolder)
  }

  private static func names(in folder: String) throws -> [String] {
    do {
      let top = try FileManager.default.contentsOfDirectory(atPath: folder)
      return try top
        + AppFile.folders.filter { top.contains($0) }.flatMap { inner in
          try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(inner)").map { "\(inner)/\($0)" }
        }
    } catch let error as CocoaError {
      throw DomainError(.invalidDocument, "\(Quoted(folder)) cannot be read: \(error)")
    }
  }
}
