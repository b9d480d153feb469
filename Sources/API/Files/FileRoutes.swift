internal import Domain
package import Engine
internal import Files
internal import FoundationEssentials
internal import Secrets
internal import Store

/// The routes of the files of records, and of links to them.
package struct FileRoutes: Sendable {
  let services: Services
  let records: Records
  /// Seconds since 1970.
  let now: @Sendable () -> Int64

  package init(
    _ services: Services,
    _ records: Records,
    now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
  ) {
    self.services = services
    self.records = records
    self.now = now
  }

  package var routes: [Route] {
    recordRoutes + fileRoutes + linkRoutes + UploadRoutes(services, records).routes
  }

  var attachments: Attachments { Attachments(services, records) }
  var uploads: Uploads { Uploads(services, records) }

  private var recordRoutes: [Route] {
    [
      Route(
        .get,
        "/v1/{app}/{type}/{id}/files",
        Operation(
          "listFiles",
          tag: "files",
          "List the files of a record",
          parameters: [
            .init("deleted", "True for deleted files that can be restored", .boolean)
          ],
          answers: [
            .init(200, "The files, oldest first", .object([.init("items", .array(of: FileJSON.fileSchema))]))
          ],
          errors: [.notFound, .unknownType, .forbidden]
        )
      ) { request in try await list(request) },
      Route(
        .post,
        "/v1/{app}/{type}/{id}/files",
        Operation(
          "createFile",
          tag: "files",
          "Announce a file of a record, whose bytes follow with PUT",
          request: FileJSON.wishSchema,
          answers: [.init(201, "The upload; its bytes are expected at Location", FileJSON.uploadSchema)],
          errors: [
            .notFound, .unknownType, .forbidden, .wrongState, .payloadTooLarge, .quotaExceeded,
            .alreadyExists,
          ]
        )
      ) { request in try await create(request) },
    ]
  }

  private func list(_ request: APIRequest) async throws -> APIAnswer {
    let acting = try request.acting()
    let deleted = try request.flag("deleted")
    let type = try await records.type(of: request)
    let files = try await attachments.list(
      acting,
      type: type.name,
      id: try await records.id(in: request, of: type),
      deleted: deleted
    )
    return .json(["items": .array(files.map { .object(FileJSON.file($0, company: acting.company.id)) })])
  }

  private func create(_ request: APIRequest) async throws -> APIAnswer {
    let acting = try request.acting()
    let body = try request.json()
    let wanted = try UploadBody(body)
    let type = try await records.type(of: request)
    let row = try await uploads.create(
      acting,
      Uploads.Request(
        id: wanted.id,
        type: type.name,
        record: try await records.id(in: request, of: type),
        kind: wanted.kind,
        name: wanted.name,
        size: wanted.size,
        digest: wanted.digest
      )
    )
    let headers: APIHeaders = ["location": "/v1/files/\(row.id.text)"]
    guard row.isFinished else { return .json(FileJSON.upload(row), status: 201, headers: headers) }
    let file = try await attachments.show(acting, row.id)
    return .json(FileJSON.file(file, company: acting.company.id), status: 201, headers: headers)
  }
}

extension APIRequest {
  /// Returns a Boolean parameter of the query; false if it is absent.
  ///
  /// - Throws: `invalid_input` for another value, and if it is repeated.
  func flag(_ name: String) throws -> Bool {
    let values = query.filter { $0.name == name }.map(\.value)
    switch values {
    case []: return false
    case ["true"]: return true
    case ["false"]: return false
    default: throw DomainError(.invalidInput, "\(name) must be true or false")
    }
  }
}
