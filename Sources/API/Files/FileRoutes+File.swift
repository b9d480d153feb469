internal import Domain
internal import Engine
internal import Files
internal import FoundationEssentials
internal import Store

extension FileRoutes {
  /// The routes of one file.
  var fileRoutes: [Route] {
    [
      Route(
        .get,
        "/v1/files/{file}",
        Operation(
          "showFile",
          tag: "files",
          "Show a file, or the upload that becomes it",
          answers: [.init(200, "The file", .raw(Self.fileOrUpload))],
          errors: [.notFound]
        )
      ) { request in try await show(request) },
      Route(
        .put,
        "/v1/files/{file}",
        Operation(
          "putFile",
          tag: "files",
          "Send the bytes of an announced file",
          parameters: [
            .init("Content-Digest", in: .header, "SHA-256 of the body, as sha-256=:base64:"),
            .init("Repr-Digest", in: .header, "SHA-256 of the file, as sha-256=:base64:"),
          ],
          answers: [.init(200, "The file, which is prepared for others next", FileJSON.fileSchema)],
          errors: [
            .notFound, .forbidden, .wrongState, .payloadTooLarge, .unsupportedMedia, .alreadyExists,
            .invalidInput,
            .linkExpired,
          ]
        ),
        body: .stream(maximumBytes: AttachmentRule.largestFile)
      ) { request in try await put(request) },
      Route(
        .delete,
        "/v1/files/{file}",
        Operation(
          "deleteFile",
          tag: "files",
          "Delete a file, which can be restored for 30 days",
          answers: [.init(204, "Deleted")],
          errors: [.notFound, .forbidden, .wrongState, .stillReferenced]
        )
      ) { request in
        try await attachments.remove(try request.acting(), try request.id("file"))
        return .noContent
      },
      Route(
        .post,
        "/v1/files/{file}/restore",
        Operation(
          "restoreFile",
          tag: "files",
          "Restore a deleted file",
          answers: [.init(200, "The file", FileJSON.fileSchema)],
          errors: [.notFound, .forbidden, .wrongState, .quotaExceeded]
        )
      ) { request in
        let (acting, id) = (try request.acting(), try request.id("file"))
        try await attachments.restore(acting, id)
        return .json(FileJSON.file(try await attachments.show(acting, id), company: acting.company.id))
      },
      Route(
        .get,
        "/v1/files/{file}/content",
        Operation(
          "downloadFile",
          tag: "files",
          "Download the bytes of a file",
          parameters: [
            .init(
              "variant",
              "The file itself, or its thumbnail as JPEG",
              .enumeration(["content", "thumbnail"])
            ),
            .init("Range", in: .header, "One range of bytes"),
          ],
          answers: Self.downloads,
          errors: [.notFound, .wrongState]
        )
      ) { request in
        let content = try await attachments.open(
          try request.acting(),
          try request.id("file"),
          try request.variant()
        )
        return FileDownload.answer(content, try services.store(), to: request, caching: "private, no-cache")
      },
    ]
  }

  /// The answers with bytes.
  static let downloads: [Operation.Answer] = [
    .init(200, "The bytes", mediaType: "*/*"), .init(206, "A range of the bytes", mediaType: "*/*"),
    .init(304, "The client has the bytes"), .init(416, "The range is behind the end of the file"),
  ]

  private static let fileOrUpload: JSONObject = ["type": "object"]

  /// Returns the file; for its creator the open upload.
  private func show(_ request: APIRequest) async throws -> APIAnswer {
    let (acting, id) = (try request.acting(), try request.id("file"))
    do {
      return .json(FileJSON.file(try await attachments.show(acting, id), company: acting.company.id))
    } catch let error as DomainError where error.code == .notFound {
      do {
        return .json(FileJSON.upload(try await uploads.show(acting, id)))
      } catch let other as DomainError where other.code == .notFound {
        throw error
      }
    }
  }

  private func put(_ request: APIRequest) async throws -> APIAnswer {
    let (acting, id) = (try request.acting(), try request.id("file"))
    let (parts, length) = RequestBytes.parts(of: request)
    let digest = try ContentDigest.sha256(of: request.headers)
    let file = try await uploads.send(acting, id, parts, length: length, digest: digest)
    return .json(FileJSON.file(file, company: acting.company.id))
  }
}

extension APIRequest {
  /// The variant of a file that the query names.
  func variant() throws -> FileVariant {
    switch query.filter({ $0.name == "variant" }).map(\.value) {
    case [], ["content"]: return .content
    case ["thumbnail"]: return .thumbnail
    default: throw DomainError(.invalidInput, "variant must be content or thumbnail")
    }
  }
}
