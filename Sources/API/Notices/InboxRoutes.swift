internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The routes of the caller's own notices. A token requires the scopes `inbox.read` and
/// `inbox.update`.
package struct InboxRoutes: Sendable {
  private let services: Services
  private let inbox: Inbox

  package init(_ services: Services) {
    self.services = services
    inbox = Inbox(services)
  }

  package var routes: [Route] { [list, count, read] }

  private var list: Route {
    Route(
      .get,
      "/v1/me/inbox",
      Operation(
        "listInbox",
        tag: "inbox",
        "List the caller's notices, newest first",
        parameters: StrictQuery.page + [
          Operation.Parameter("unread", "true for unread notices only", .boolean),
          Operation.Parameter(
            "lang",
            "The language of titles and bodies (default: en)",
            .enumeration(Language.allCases.map(\.rawValue))
          ),
        ],
        answers: [Operation.Answer(200, "A page of notices", ListAnswer.schema(of: Self.schema))]
      )
    ) { request in
      let query = StrictQuery(request)
      let limit = try query.limit()
      let language = try query.text("lang").map { text throws(DomainError) in try Language(parsing: text) }
      let rows = try await inbox.list(
        try request.acting(),
        limit: limit + 1,
        after: try query.text("after").map { try TimePlace(parsing: $0) },
        unread: try query.flag("unread")
      )
      let templates = try await InstalledApps(services).noticeTemplates()
      let page = rows.prefix(limit)
      let next = rows.count > limit ? page.last.map { TimePlace(at: $0.createdAt, id: $0.id).text } : nil
      let items = try page.map { try Self.json($0, templates, language ?? .english) }
      return ListAnswer.page(items, next: next, of: request)
    }
  }

  private var count: Route {
    Route(
      .get,
      "/v1/me/inbox/count",
      Operation(
        "countInbox",
        tag: "inbox",
        "Count the caller's notices",
        answers: [
          Operation.Answer(
            200,
            "The numbers of notices",
            .object([
              Schema.Member("all", .integer(minimum: 0)), Schema.Member("unread", .integer(minimum: 0)),
            ])
          )
        ]
      )
    ) { request in
      let counts = try await inbox.count(try request.acting())
      return .json(["all": .integer(counts.all), "unread": .integer(counts.unread)])
    }
  }

  private var read: Route {
    Route(
      .post,
      "/v1/me/inbox/read",
      Operation(
        "readInbox",
        tag: "inbox",
        "Mark notices as read",
        request: .object([
          .optional("ids", .array(of: .uuid, maximum: 1_000), "Notices (default: all)")
        ]),
        answers: [
          Operation.Answer(
            200,
            "The number of notices that were unread",
            .object([Schema.Member("marked", .integer(minimum: 0))])
          )
        ]
      )
    ) { request in
      let ids = try RequestMembers(request).optionalIDs("ids", most: 1_000)
      return .json(["marked": .integer(try await inbox.markRead(try request.acting(), ids))])
    }
  }

  private static func json(_ notice: NoticeRow, _ templates: [NoticeTemplate], _ language: Language) throws
    -> JSONObject
  {
    let data = try notice.data.value().object ?? [:]
    let text = templates.first { $0.name == notice.template }?.text(in: language)
    return [
      "id": .string(notice.id.text), "at": .string(notice.createdAt.description),
      "title": .string(text.map { NoticeTemplate.fill($0.title, with: data) } ?? notice.template),
      "body": JSONCell.text(text.map { NoticeTemplate.fill($0.body, with: data) }),
      "state": .string(notice.state), "template": .string(notice.template),
      "record_type": JSONCell.text(notice.recordType), "record_id": JSONCell.id(notice.recordID),
    ]
  }

  private static let schema = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("at", .time), Schema.Member("title", .string),
    Schema.Member("body", .nullable(.string)), Schema.Member("state", .string),
    Schema.Member("template", .string), Schema.Member("record_type", .nullable(.string)),
    Schema.Member("record_id", .nullable(.uuid)),
  ])

}
