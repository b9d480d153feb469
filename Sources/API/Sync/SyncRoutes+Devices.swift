internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

/// The routes of devices.
extension SyncRoutes {
  var deviceRoutes: [Route] { [register, list, revoke] }

  private var register: Route {
    Route(
      .post,
      "/v1/sync/devices",
      Operation(
        "registerDevice",
        tag: Self.tag,
        "Register a device of the caller, or update its description",
        request: .object([
          Schema.Member("id", .uuid, "Chosen by the device, random, and kept for as long as its changes"),
          Schema.Member("name", .text(maximum: 200)),
          .optional("app", .string, "App whose records the device has (default: all)"),
          .optional("platform", .text(maximum: 100)), .optional("app_version", .text(maximum: 100)),
          .optional(
            "schema_version",
            .integer(SyncBounds.schemaVersions),
            "Version of the record types that the client was built for (default: 1)"
          ),
          .optional(
            "done_days",
            .integer(Devices.doneDays),
            "Days for which the device keeps completed work (default: no limit)"
          ),
        ]),
        answers: [Operation.Answer(201, "The device.", SyncSchemas.device)],
        errors: [.deviceRevoked, .notFound, .quotaExceeded, .invalidName, .invalidID]
      ),
      admission: .person
    ) { request in
      let body = try RequestMembers(request)
      let id = try body.id("id")
      let description = Devices.Description(
        id: id,
        name: try body.text("name"),
        app: try body.optionalText("app", maximum: 63),
        platform: try body.optionalText("platform") ?? "",
        appVersion: try body.optionalText("app_version") ?? "",
        schemaVersion: try body.optionalInteger(
          "schema_version",
          1...Int(SyncBounds.schemaVersions.upperBound)
        ) ?? 1,
        doneDays: try body.optionalInteger("done_days", Devices.doneDays).map { Int($0) }
      )
      return .json(
        SyncJSON.device(try await devices.register(try request.acting(), description)),
        status: 201
      )
    }
  }

  private var list: Route {
    Route(
      .get,
      "/v1/sync/devices",
      Operation(
        "listDevices",
        tag: Self.tag,
        "List the caller's devices",
        parameters: [Operation.Parameter("all", "true for all members. Requires member.read.", .boolean)],
        answers: [Operation.Answer(200, "The devices.", ListAnswer.schema(of: SyncSchemas.device))]
      ),
      admission: .person
    ) { request in
      let query = StrictQuery(request)
      let rows = try await devices.list(try request.acting(), all: try query.flag("all"))
      return ListAnswer.page(rows.map(SyncJSON.device))
    }
  }

  private var revoke: Route {
    Route(
      .delete,
      "/v1/sync/devices/{device}",
      Operation(
        "revokeDevice",
        tag: Self.tag,
        "Refuse a device from now on; that of another member requires member.update",
        path: ["device": .uuid],
        answers: [Operation.Answer(204, "The device is refused.")]
      ),
      admission: .person
    ) { request in
      try await devices.revoke(try request.acting(), try request.id("device"))
      return .noContent
    }
  }
}
