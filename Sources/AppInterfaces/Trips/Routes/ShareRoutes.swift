internal import API
internal import Apps
internal import Domain
internal import Engine
internal import FoundationEssentials

/// The route that creates a share link of a plan, whose secret it shows once. Links are listed, changed and deleted as
/// records.
struct ShareRoutes {
  private let shares: Shares

  init(_ services: Services, _ records: Records) {
    shares = Shares(services, records)
  }

  var routes: [Route] { [create] }

  private var create: Route {
    Route(
      .post,
      "/v1/trips/plan/{plan}/share",
      Operation(
        "createShare",
        tag: "trips",
        "Create a link that shows the plan to its bearer; the link is shown only here",
        request: .object([
          .optional("level", .enumeration(ShareLevel.allCases.map(\.rawValue)), "Default: read"),
          .optional("expires_at", .time, "Default: never"),
        ]),
        answers: [
          Operation.Answer(
            201,
            "The id and the link",
            .object([Schema.Member("id", .uuid), Schema.Member("link", .string)])
          )
        ],
        errors: [.invalidInstant, .parentDeleted, .quotaExceeded]
      )
    ) { request in
      let body = try RequestMembers(request)
      let issued = try await shares.create(
        try request.acting(),
        plan: try request.id("plan"),
        level: try body.optionalChoice("level", ShareLevel.self) ?? .read,
        expiresAt: try body.optionalInstant("expires_at")
      )
      return .json(["id": .string(issued.id.text), "link": .string(issued.text)], status: 201)
    }
  }
}
