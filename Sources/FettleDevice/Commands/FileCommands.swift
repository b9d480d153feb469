internal import ArgumentParser
internal import FettleClient

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// `fettle-device photo`.
struct PhotoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo",
    abstract: "Add a photo or another file to a record",
    discussion: """
      Examples:
        fettle-device photo maintenance.entry WO-1001 hose.jpg
        fettle-device photo inventory.item 1b09 receipt.pdf --kind receipt
      """
  )

  @OptionGroup var folder: DeviceFolder
  @OptionGroup var record: RecordArgument
  @Argument(help: "Path of the file", completion: .file()) var file: String
  @Option(help: "Kind of file, from the app's manifest") var kind = "photo"

  func run() async throws {
    let bytes: [UInt8]
    do {
      bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
    } catch {
      throw ClientError(.invalidInput, "the file \(file) cannot be read")
    }
    let name = String(file.split(separator: "/").last ?? "file")
    try await folder.open { client in
      let id = try await client.addFile(
        to: record.type,
        record.find(client),
        kind: kind,
        name: name,
        mediaType: Self.mediaType(of: name),
        bytes: bytes
      )
      print(Output.text(id))
    }
  }

  private static func mediaType(of name: String) -> String {
    let types = [
      "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp", "gif": "image/gif",
      "heic": "image/heic", "pdf": "application/pdf", "txt": "text/plain", "csv": "text/csv",
    ]
    let suffix = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
    return types[suffix] ?? "application/octet-stream"
  }
}

/// `fettle-device file`.
struct FileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "file",
    abstract: "Download a file, and print its path",
    discussion: """
      Examples:
        fettle-device file 0d3c5b1e-0000-4000-8000-000000000000
        fettle-device file 0d3c5b1e-0000-4000-8000-000000000000 --thumbnail
        fettle-device file 0d3c5b1e-0000-4000-8000-000000000000 --retry
        fettle-device file 0d3c5b1e-0000-4000-8000-000000000000 --discard
      """
  )

  @OptionGroup var folder: DeviceFolder
  @Argument(help: "Id of the file", transform: Self.id) var file: UUID
  @Flag(help: "Download the small picture instead") var thumbnail = false
  @Flag(help: "Send a file again that failed") var retry = false
  @Flag(help: "Give up a file that failed") var discard = false

  func validate() throws {
    if retry, discard { throw ValidationError("--retry and --discard exclude each other") }
  }

  func run() async throws {
    try await folder.open { client in
      if retry { return try await client.retryFile(file) }
      if discard { return try await client.discardFile(file) }
      print(try await client.file(file, thumbnail ? .thumbnail : .content))
    }
  }

  private static func id(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else { throw ValidationError("\"\(text)\" is not an id") }
    return id
  }
}
