internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

/// The routes of resumable uploads: tus 1.0 with creation, expiration, checksum and termination.
struct UploadRoutes: Sendable {
  static let version = "1.0.0"
  private static let extensions = "creation,expiration,checksum,termination"

  private let uploads: Uploads

  init(_ services: Services, _ records: Records) { uploads = Uploads(services, records) }

  var routes: [Route] {
    [
      Route(
        .options,
        "/v1/uploads",
        Operation(
          "describeUploads",
          tag: "uploads",
          "Show the version and extensions of tus",
          answers: [.init(204, "Versions, extensions and limits are in the header")]
        ),
        admission: .everybody
      ) { _ in Self.description },
      Route(
        .post,
        "/v1/uploads",
        Operation(
          "createUpload",
          tag: "uploads",
          "Create a resumable upload to a record",
          parameters: [
            Self.versionParameter,
            .init("Upload-Length", in: .header, "Size in bytes", .integer(minimum: 1), isRequired: true),
            .init(
              "Upload-Metadata",
              in: .header,
              "record_type, record_id, kind, filename, and optionally id and sha256, each with its value in base64",
              isRequired: true
            ),
          ],
          answers: [.init(201, "Created; Location has the address"), Self.otherVersion],
          errors: [.notFound, .forbidden, .payloadTooLarge, .quotaExceeded, .alreadyExists]
        )
      ) { request in try await checked(request) { try await create(request) } },
      Route(
        .head,
        "/v1/uploads/{upload}",
        Operation(
          "showUpload",
          tag: "uploads",
          "Show the offset of an upload",
          parameters: [Self.versionParameter],
          answers: [
            .init(200, "The offset is in the header"),
            Self.otherVersion,
          ],
          errors: [.notFound, .linkExpired, .stale]
        )
      ) { request in
        try await checked(request) {
          let row = try await uploads.resume(try request.acting(), try request.id("upload"))
          return APIAnswer(status: 200, headers: Self.headers(of: row, withLength: true))
        }
      },
      Route(
        .patch,
        "/v1/uploads/{upload}",
        Operation(
          "appendUpload",
          tag: "uploads",
          "Append bytes to an upload",
          parameters: [
            Self.versionParameter,
            .init(
              "Upload-Offset",
              in: .header,
              "Number of bytes sent before",
              .integer(minimum: 0),
              isRequired: true
            ),
            .init("Upload-Checksum", in: .header, "sha1 or sha256, and the digest of the body in base64"),
          ],
          answers: [
            .init(204, "Appended; the new offset is in the header"),
            Self.otherVersion,
            .init(460, "The checksum does not fit the body; its bytes were discarded"),
          ],
          errors: [.notFound, .stale, .payloadTooLarge, .unsupportedMedia, .linkExpired]
        ),
        body: .stream(maximumBytes: AttachmentRule.largestFile)
      ) { request in try await checked(request) { try await append(request) } },
      Route(
        .delete,
        "/v1/uploads/{upload}",
        Operation(
          "cancelUpload",
          tag: "uploads",
          "Cancel an upload and remove its bytes",
          parameters: [Self.versionParameter],
          answers: [.init(204, "Cancelled"), Self.otherVersion],
          errors: [.notFound, .wrongState, .linkExpired]
        )
      ) { request in
        try await checked(request) {
          try await uploads.cancel(try request.acting(), try request.id("upload"))
          return APIAnswer(status: 204, headers: Self.common)
        }
      },
    ]
  }

  private static let versionParameter = Operation.Parameter(
    "Tus-Resumable",
    in: .header,
    "Version of tus",
    .enumeration([version]),
    isRequired: true
  )

  private static let otherVersion = Operation.Answer(412, "Another version of tus")

  private static let common: APIHeaders = ["tus-resumable": version]

  private static var description: APIAnswer {
    APIAnswer(
      status: 204,
      headers: [
        "tus-resumable": version, "tus-version": version, "tus-extension": extensions,
        "tus-max-size": "\(AttachmentRule.largestFile)", "tus-checksum-algorithm": "sha1,sha256",
      ]
    )
  }

  /// Refuses other versions of tus, and answers a wrong checksum with its own status.
  private func checked(_ request: APIRequest, _ body: () async throws -> APIAnswer) async throws -> APIAnswer
  {
    guard request.headers["tus-resumable"] == Self.version else {
      return APIAnswer(status: 412, headers: ["tus-resumable": Self.version, "tus-version": Self.version])
    }
    do {
      return try await body()
    } catch is ChecksumMismatch {
      return APIAnswer(status: 460, headers: Self.common)
    }
  }

  private func create(_ request: APIRequest) async throws -> APIAnswer {
    guard let size = request.headers["upload-length"].flatMap({ Int(digits: $0) }) else {
      throw DomainError(.missingFields, "Upload-Length is missing or not a whole number")
    }
    let metadata = try UploadHeaders.metadata(request.headers["upload-metadata"] ?? "")
    let row = try await uploads.create(try request.acting(), try UploadHeaders.request(metadata, size: size))
    var headers = Self.headers(of: row, withLength: false)
    headers["location"] = "\(request.origin)/v1/uploads/\(row.id.text)"
    return APIAnswer(status: 201, headers: headers)
  }

  private func append(_ request: APIRequest) async throws -> APIAnswer {
    guard request.headers["content-type"] == "application/offset+octet-stream" else {
      throw DomainError(.unsupportedMedia, "the body must be application/offset+octet-stream")
    }
    guard let offset = request.headers["upload-offset"].flatMap({ Int(digits: $0) }) else {
      throw DomainError(.missingFields, "Upload-Offset is missing or not a whole number")
    }
    let row = try await uploads.append(
      try request.acting(),
      try request.id("upload"),
      at: offset,
      RequestBytes.parts(of: request).0,
      checksum: try request.headers["upload-checksum"].map(UploadHeaders.checksum)
    )
    return APIAnswer(status: 204, headers: Self.headers(of: row, withLength: false))
  }

  private static func headers(of row: UploadRow, withLength: Bool) -> APIHeaders {
    var headers = common
    headers["upload-offset"] = "\(row.received)"
    headers["cache-control"] = "no-store"
    if withLength { headers["upload-length"] = "\(row.size)" }
    if !row.isFinished { headers["upload-expires"] = row.expiresAt.headerText() }
    return headers
  }
}
