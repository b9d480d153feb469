internal import Domain
package import Engine
internal import Store

/// The public description of the installation, which clients read before anybody signs in.
package struct AboutRoutes: Sendable {
  private let services: Services
  private let settings: AboutSettings

  package init(_ services: Services, _ settings: AboutSettings) {
    self.services = services
    self.settings = settings
  }

  package var routes: [Route] { [about] }

  private var about: Route {
    Route(
      .get,
      "/v1/about",
      Operation(
        "about",
        tag: "about",
        "Describe the installation",
        answers: [Operation.Answer(200, "The installation", Self.schema)]
      ),
      admission: .optional
    ) { request in
      let apps = try await InstalledApps(services).list()
      let (catalogue, _) = try await services.catalogue.refresh(services.database)
      return .json(
        [
          "name": "fettle", "version": .string(settings.version),
          "demo": .bool(request.caller?.acting.company.kind == CompanyKind.demo.rawValue),
          "api": .string("\(request.origin)/v1"),
          "apps": .array(
            apps.map { app in
              let types = catalogue.types.filter { $0.app == app.name }.map { type -> JSONValue in
                [
                  "type": .string(type.name), "label": .string(type.definition.label),
                  "plural": .string(type.definition.plural),
                  "path": .string("/v1/" + type.name.split(separator: ".").joined(separator: "/")),
                  "has_workflow": .bool(type.workflow != nil),
                ]
              }
              return ["name": .string(app.name), "version": .integer(app.version), "types": .array(types)]
            }
          ),
          "sign_in": .strings(settings.signIn), "client": .object(settings.client),
        ],
        headers: ["cache-control": "private, no-cache"]
      )
    }
  }

  private static let schema = Schema.object([
    Schema.Member("name", .string), Schema.Member("version", .string),
    Schema.Member("demo", .boolean, "True for a caller in a demo company"), Schema.Member("api", .string),
    Schema.Member(
      "apps",
      .array(
        of: .object([
          Schema.Member("name", .string), Schema.Member("version", .integer(minimum: 1)),
          Schema.Member(
            "types",
            .array(
              of: .object([
                Schema.Member("type", .string), Schema.Member("label", .string),
                Schema.Member("plural", .string),
                Schema.Member("path", .string), Schema.Member("has_workflow", .boolean),
              ])
            )
          ),
        ])
      )
    ),
    Schema.Member("sign_in", .array(of: .string)), Schema.Member("client", .anyObject),
  ])
}
