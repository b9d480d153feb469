internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The routes of the caller's own notices and preferences. A token requires the scopes `inbox.read` and
/// `inbox.update`.
package struct InboxRoutes: Sendable {
  private let services: Services
  private let inbox: Inbox
  private let preferences: NoticePreferences

  package init(_ services: Services) {
    self.services = services
    inbox = Inbox(services)
    preferences = NoticePreferences(services)
  }

  package var routes: [Route] { [list, count, read, listPreferences, setPreferences] }

  private var list: Route {
    Route(
      .get,
      "/v1/me/inbox",
      Operation(
        "listInbox",
        tag: "inbox",
        "List the caller's notices, newest first",
        parameters: StrictQuery.page + [
          Operation.Parameter("unread", "true for unread notices only", .boolean)
        ],
        answers: [Operation.Answer(200, "A page of notices", ListAnswer.schema(of: Self.schema))]
      )
    ) { request in
      let query = try StrictQuery(request, ["limit", "after", "unread"])
      let limit = try query.limit()
      let rows = try await inbox.list(
        try request.acting(),
        limit: limit + 1,
        after: try query.text("after").map { try TimePlace(parsing: $0) },
        unread: try query.flag("unread")
      )
      let templates = try await InstalledApps(services).noticeTemplates()
      let page = rows.prefix(limit)
      let next = rows.count > limit ? page.last.map { TimePlace(at: $0.createdAt, id: $0.id).text } : nil
      return ListAnswer.page(try page.map { try Self.json($0, templates) }, next: next, of: request)
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
      _ = try StrictQuery(request)
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
          .optional("ids", .nullable(.array(of: .uuid, maximum: 1_000)), "Notices (default: all)")
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
      let ids = try StrictBody(request, ["ids"]).ids("ids", maximum: 1_000)
      return .json(["marked": .integer(try await inbox.markRead(try request.acting(), ids))])
    }
  }

  private var listPreferences: Route {
    Route(
      .get,
      "/v1/me/preferences",
      Operation(
        "listPreferences",
        tag: "inbox",
        "List the delivery of each kind of notice",
        answers: [Operation.Answer(200, "All kinds", ListAnswer.schema(of: Self.preferenceSchema))]
      )
    ) { request in
      _ = try StrictQuery(request)
      return try await preferences(request)
    }
  }

  private var setPreferences: Route {
    Route(
      .patch,
      "/v1/me/preferences",
      Operation(
        "setPreferences",
        tag: "inbox",
        "Choose the delivery of kinds of notices",
        request: .object([], open: true),
        answers: [Operation.Answer(204, "The preferences were set")]
      )
    ) { request in
      let wishes = try request.json().members.map { topic, value in
        guard let delivery = value.string.flatMap(NoticePreferences.Delivery.init(rawValue:)) else {
          let names = NoticePreferences.Delivery.allCases.map(\.rawValue)
          throw DomainError(.invalidInput, "\(topic) must be one of: \(names.joined(separator: ", "))")
        }
        return (topic: topic, delivery: delivery)
      }
      let acting = try request.acting()
      let templates = try await InstalledApps(services).noticeTemplates().map(\.name)
      try await preferences.set(acting, wishes, among: templates)
      return .noContent
    }
  }

  private func preferences(_ request: APIRequest) async throws -> APIAnswer {
    let chosen = try await preferences.list(try request.acting())
    let templates = try await InstalledApps(services).noticeTemplates().map(\.name)
    let usual = chosen["*"] ?? .inbox
    return ListAnswer.page(
      (["*"] + templates).map { topic in
        [
          "kind": .string(topic), "delivery": .string((chosen[topic] ?? usual).rawValue),
          "chosen": .bool(chosen[topic] != nil),
        ]
      }
    )
  }

  private static func json(_ notice: NoticeRow, _ templates: [NoticeTemplate]) throws -> JSONObject {
    let data = try notice.data.value().object ?? [:]
    let template = templates.first { $0.name == notice.template }
    return [
      "id": .string(notice.id.text), "at": .string(notice.createdAt.description),
      "title": .string(template.map { NoticeTemplate.fill($0.title, with: data) } ?? notice.template),
      "body": JSONCell.text(template.map { NoticeTemplate.fill($0.body, with: data) }),
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

  private static let preferenceSchema = Schema.object([
    Schema.Member("kind", .string), Schema.Member("delivery", .string), Schema.Member("chosen", .boolean),
  ])
}
