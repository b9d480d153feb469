internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import SyncProtocol

/// The routes of what waits for a person.
extension SyncRoutes {
  var reviewRoutes: [Route] { [status, resolve, retry] }

  private var status: Route {
    Route(
      .get,
      "/v1/sync/status",
      Operation(
        "showSyncStatus",
        tag: Self.tag,
        "Show the caller's devices, conflicts and failed changes",
        parameters: [Operation.Parameter("all", "true for all members. Requires member.read.", .boolean)],
        answers: [
          Operation.Answer(
            200,
            "The status.",
            .object([
              Schema.Member("devices", .array(of: SyncSchemas.device)),
              Schema.Member(
                "items",
                .array(of: SyncSchemas.item),
                "Conflicts and failed changes, oldest first"
              ),
            ])
          )
        ]
      ),
      admission: .person
    ) { request in
      let query = StrictQuery(request)
      let status = try await review.status(try request.acting(), all: try query.flag("all"))
      return .json([
        "devices": .array(status.devices.map { .object(SyncJSON.standing($0, status.waiting[$0.id])) }),
        "items": .array(
          try status.items.enumerated().map { place, item in
            .object(try SyncJSON.item(item, status.conflicts[place]))
          }
        ),
      ])
    }
  }

  private var resolve: Route {
    Route(
      .post,
      "/v1/sync/items/{device}/{no}/resolve",
      Operation(
        "resolveChange",
        tag: Self.tag,
        "Decide about a conflict, or give up a failed change",
        path: ["device": .uuid, "no": .integer(SyncBounds.numbers)],
        request: .object([
          Schema.Member(
            "take",
            .enumeration(SyncReview.Decision.allCases.map(\.rawValue)),
            "server gives up the change; mine applies it now; merge applies the fields that are not in conflict"
          )
        ]),
        answers: [
          Operation.Answer(
            200,
            "The decision.",
            .object([
              Schema.Member("status", .enumeration(["resolved"])),
              Schema.Member(
                "version",
                .nullable(.integer(minimum: 1)),
                "Version of the record, if it was changed"
              ),
            ])
          )
        ],
        errors: [.wrongState, .guardRefused, .fieldNotEditable, .invalidNumber]
      ),
      admission: .person
    ) { request in
      let (device, no) = (try request.id("device"), try Self.no(request))
      let body = try RequestMembers(request)
      let decision = try body.given(body.optionalChoice("take", SyncReview.Decision.self), "take")
      let version = try await review.resolve(try request.acting(), device: device, no: no, decision)
      return .json(["status": "resolved", "version": version.map { .integer($0) } ?? .null])
    }
  }

  private var retry: Route {
    Route(
      .post,
      "/v1/sync/items/{device}/{no}/retry",
      Operation(
        "retryChange",
        tag: Self.tag,
        "Ask the device to send a conflict or a failed change again",
        path: ["device": .uuid, "no": .integer(SyncBounds.numbers)],
        answers: [Operation.Answer(204, "The device is asked with its next answer.")],
        errors: [.wrongState, .invalidNumber]
      ),
      admission: .person
    ) { request in
      let (device, no) = (try request.id("device"), try Self.no(request))
      try await review.retry(try request.acting(), device: device, no: no)
      return .noContent
    }
  }

  private static func no(_ request: APIRequest) throws -> Int64 {
    let text = try request.parameter("no")
    guard let no = Int64(text), SyncBounds.numbers.contains(no),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is not the number of a change")
    }
    return no
  }
}
