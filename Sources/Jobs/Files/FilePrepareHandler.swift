internal import Domain
package import Engine
internal import Files
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Decides whether others than the uploader may read a file: checks its content again, writes an image again without
/// location data and other metadata, and makes its thumbnail.
package struct FilePrepareHandler: JobHandler {
  /// The payload that an upload enqueues.
  package struct Payload: Codable, Sendable {
    /// The file.
    let fileID: UUID
    /// The owner of the private record; nil if the record belongs to the company.
    let ownerID: UUID?

    /// - Parameter owner: the owner of the private record; nil if the record belongs to the company.
    package init(file: UUID, owner: UUID? = nil) {
      fileID = file
      ownerID = owner
    }

    enum CodingKeys: String, CodingKey {
      case fileID = "file_id"
      case ownerID = "owner_id"
    }
  }

  /// `file.prepare`.
  package let kind = FilePreparation.kind
  /// Seven minutes: an image that gets larger is written again several times, each run at most half a minute.
  package var timeout: Duration? { .seconds(420) }
  /// Two, because images need processor time and memory.
  package var maxRunningPerCompany: Int? { 2 }

  private let records: Records
  private let images: ImageTool?

  /// - Parameters:
  ///   - records: opened with the worker's login and the store of files.
  ///   - images: prepares images; nil if libvips is not installed, so that images wait.
  package init(_ records: Records, images: ImageTool?) {
    self.records = records
    self.images = images
  }

  /// Prepares the file, and returns the effects that make it readable or refuse it.
  ///
  /// - Throws: ``JobFailure/snooze(_:_:)`` if this process has no store or no libvips.
  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    guard let store = records.blobs else {
      throw JobFailure.snooze(.seconds(3_600), "this worker has no store of files; see --blobs")
    }
    let preparation = FilePreparation(
      records,
      company: context.company,
      file: payload.fileID,
      owner: payload.ownerID
    )
    guard let file = try await preparation.pending(context.database), let digest = file.originalDigest else {
      return .none
    }
    let original = BlobKey(company: context.company, digest: digest)
    let bytes = try await store.all(original, size: file.size)
    guard let type = MediaType(rawValue: file.mediaType) else {
      return refusing(preparation, "the type \(file.mediaType) is not accepted", context)
    }
    guard type.isImage else {
      let measured = MeasuredUpload(size: bytes.count, digest: digest, head: [], tail: [])
      let result = FilePreparation.Result(content: measured, mediaType: type, thumbnail: nil)
      try await preparation.claim(result, context.database)
      return JobEffects { tx in try preparation.publish(result, tx) }
    }
    guard let images else {
      throw JobFailure.snooze(.seconds(3_600), "libvips-tools is not installed, so images cannot be prepared")
    }
    switch try await images.prepare(bytes, type) {
    case .refused(let reason): return refusing(preparation, reason, context)
    case .prepared(let content, let thumbnail):
      guard content.count <= AttachmentRule.largestFile else {
        return refusing(preparation, "the image is too large without its compression", context)
      }
      let result = try await keep(content, thumbnail, type, preparation, store, context)
      return JobEffects { tx in try preparation.publish(result, tx) }.and(purge(after: context))
    }
  }

  /// Stores the prepared bytes, after their blobs were claimed.
  private func keep(
    _ content: [UInt8],
    _ thumbnail: [UInt8],
    _ type: MediaType,
    _ preparation: FilePreparation,
    _ store: any BlobStore,
    _ context: JobContext
  ) async throws -> FilePreparation.Result {
    let parts = [content, thumbnail].map { bytes in
      // An id of its own, because two attempts may overlap.
      (key: UploadKey(company: context.company, id: UUIDv7Generator.shared.next()), bytes: bytes)
    }
    var measured: [MeasuredUpload] = []
    for part in parts { measured.append(try await store.put(part.bytes, as: part.key)) }
    let result = FilePreparation.Result(
      content: measured[0],
      mediaType: type.prepared,
      thumbnail: measured[1]
    )
    try await preparation.claim(result, context.database)
    for (part, measured) in zip(parts, measured) {
      try await store.seal(part.key, size: measured.size, as: measured.digest)
    }
    return result
  }

  private func refusing(_ preparation: FilePreparation, _ reason: String, _ context: JobContext) -> JobEffects
  {
    context.note("refused: \(reason)")
    return JobEffects { tx in try preparation.refuse(reason, tx) }.and(purge(after: context))
  }

  /// Removes the uploaded bytes, which may contain location data, as soon as nothing names them.
  private func purge(after context: JobContext) -> JobEffects {
    .enqueue(
      [
        NewJob(
          id: UUIDv7Generator.shared.next(),
          kind: FilePurge.kind,
          priority: 4,
          payload: JSON(text: "{}"),
          uniqueKey: "after preparation"
        )
      ],
      after: context
    )
  }
}
