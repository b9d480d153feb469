internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Files
internal import FoundationEssentials
internal import Glibc
internal import Secrets
internal import Store
internal import Terminal

extension FileCommand {
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a file to a record",
      scope: .company,
      discussion: """
        Others can read the file after a worker has prepared it: images are written
        again without location data.

        Example: fettle file add maintenance.machine RM-001 pump.jpg --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var storage: BlobOptions
    @OptionGroup var subject: RecordArguments
    @Argument(help: "Path of the file", completion: .file()) var path: String
    @Option(help: "Kind of file, from the manifest of the record type (default: the only one)") var kind:
      String?
    @Option(help: ArgumentHelp("Name of the file (default: that of the path)", valueName: "name")) var name:
      String?
    @Option(help: ArgumentHelp("Id of the file, so that a repetition is recognised", valueName: "id")) var id:
      String?
    @OptionGroup var key: KeyOption

    /// The answer that a repetition gets.
    private struct Added: Codable {
      let id: UUID
      let name: String
      let state: String
    }

    func run() async throws {
      let chosen = try id.map { text in
        guard let id = UUID(text: text) else {
          throw DomainError(.invalidID, "\(Quoted(text)) is not an id")
        }
        return id
      }
      try await options.company.withActingContext { services, acting in
        var services = services
        services.blobs = try storage.store()
        let (descriptor, size) = try Self.open(path)
        defer { close(descriptor) }
        let digest = key.idempotencyKey == nil ? nil : try Self.digest(of: descriptor)
        // The words of the request and the content, since a repetition is answered also if the record is gone.
        let request = ["file", id, subject.type, subject.record, kind, name ?? path, digest]
        let file = try await key.once(services, acting, request) {
          let records = try await Records.open(services)
          let record = try await records.resolve(acting, type: subject.type, subject.record)
          let kinds = try records.catalogue.type(subject.type).definition.attachments.map(\.kind)
          let uploads = Uploads(services, records)
          let upload = try await uploads.create(
            acting,
            Uploads.Request(
              id: chosen,
              type: subject.type,
              record: record,
              kind: kind ?? (kinds.count == 1 ? kinds[0] : ""),
              name: name ?? path,
              size: size
            )
          )
          let bytes = AsyncThrowingStream<[UInt8], any Error>(unfolding: { try Self.piece(of: descriptor) })
          let file = try await uploads.send(acting, upload.id, bytes, length: size)
          return Added(id: file.id, name: file.name, state: file.state.rawValue)
        }
        try options.output.report(
          "added the file",
          [
            (Column("id"), Cell(file.id)), (Column("name"), .string(file.name)),
            (Column("state"), .string(file.state)),
          ]
        )
      }
    }

    private static func open(_ path: String) throws -> (descriptor: Int32, size: Int) {
      let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      var status = stat()
      guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        if descriptor >= 0 { close(descriptor) }
        throw DomainError(
          .invalidInput,
          "\(Quoted(path)) is not a file that can be read",
          hint: "check the path"
        )
      }
      return (descriptor, Int(status.st_size))
    }

    /// Returns the SHA-256 of a file's content, and goes back to its beginning.
    private static func digest(of descriptor: Int32) throws -> String {
      var stream = SHA256Stream()
      while let piece = try piece(of: descriptor) { stream.update(piece) }
      lseek(descriptor, 0, SEEK_SET)
      return Hex.encode(stream.digest())
    }

    private static func piece(of descriptor: Int32) throws -> [UInt8]? {
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count == 0 { return nil }
        if count > 0 { return Array(buffer.prefix(count)) }
        guard errno == EINTR else {
          throw DomainError(.invalidInput, "the file cannot be read: \(String(cString: strerror(errno)))")
        }
      }
    }
  }

  struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write the bytes of a file",
      scope: .company,
      discussion: """
        Example:
          fettle file get 0192f7a0-5b1c-7000-8000-000000000001 --to pump.jpg -c acme
        """
    )
    @OptionGroup var company: CompanyOptions
    @OptionGroup var storage: BlobOptions
    @OptionGroup var file: FileArgument
    @Flag(help: "Write the thumbnail") var thumbnail = false
    @Option(
      help: ArgumentHelp("Path of a new file (default: standard output)", valueName: "path"),
      completion: .file()
    )
    var to: String?

    func run() async throws {
      try await company.withActingContext { services, acting in
        var services = services
        let store = try storage.store()
        services.blobs = store
        let content = try await Attachments(services, try await Records.open(services))
          .open(acting, try file.id(), thumbnail ? .thumbnail : .content)
        let descriptor = try to.map(Self.create) ?? STDOUT_FILENO
        defer { if to != nil { close(descriptor) } }
        var offset = 0
        while offset < content.size {
          let (start, end) = (offset, min(offset + (1 << 20), content.size))
          let piece = try await stored { () async throws(FilesError) in
            try await store.read(content.blob, start..<end)
          }
          guard !piece.isEmpty else { throw DomainError(.internal, "the stored file is shorter than it was") }
          try Self.write(piece, to: descriptor)
          offset += piece.count
        }
      }
    }

    private static func create(_ path: String) throws -> Int32 {
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw DomainError(
          .invalidInput,
          "cannot create \(Quoted(path)): \(String(cString: strerror(errno)))",
          hint: "name a file that does not exist"
        )
      }
      return descriptor
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          throw DomainError(.unavailable, "cannot write the file: \(String(cString: strerror(errno)))")
        }
      }
    }
  }
}
