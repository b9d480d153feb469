internal import Domain
package import Engine
internal import Store

/// The description of record types, from which a client draws forms and decides without a connection.
package struct TypeRoutes: Sendable {
  private let screens: Screens
  private let names: TypeNames

  /// - Parameter names: what types are called.
  package init(_ records: Records, names: @escaping TypeNames) {
    screens = Screens(records)
    self.names = names
  }

  package var routes: [Route] { [list] }

  static let pattern = "/v1/types"

  private var list: Route {
    Route(
      .get,
      Self.pattern,
      Operation(
        "listTypes",
        tag: "records",
        "Describe the types whose records the caller may read, with their rules and words",
        parameters: [
          Operation.Parameter("app", "The app of the types (default: all)"),
          Operation.Parameter(
            "lang",
            "The language of the words (default: the member's)",
            .enumeration(Language.allCases.map(\.rawValue))
          ),
        ],
        answers: [
          Operation.Answer(200, "The types", TypeSchemas.types),
          Operation.Answer(304, "The client has the description"),
        ],
        errors: [.notFound]
      )
    ) { request in
      let query = StrictQuery(request)
      let given = try query.text("lang").map { text throws(DomainError) in try Language(parsing: text) }
      let screen = try await screens.types(try request.acting(), app: query.text("app"))
      let language = given ?? screen.frame.language
      var apps: [(name: String, label: String)] = []
      let types = screen.types.map { part -> JSONValue in
        let words = names(part.type, language)
        if apps.last?.name != part.type.app { apps.append((part.type.app, words.app)) }
        return .object(TypeJSON(part, words).value)
      }
      return DigestTag.answer(
        [
          "lang": .string(language.rawValue),
          "apps": .array(apps.map { ["name": .string($0.name), "label": .string($0.label)] }),
          "types": .array(types),
        ],
        site: Self.pattern,
        to: request
      )
    }
  }
}
