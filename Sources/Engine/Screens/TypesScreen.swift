package import Domain
internal import Postgres
package import Store

/// The types whose records a person may read, as a client needs them that draws forms and decides without a connection.
package struct TypesScreen: Sendable {
  package let frame: ScreenFrame
  package let types: [Part]

  /// One type.
  package struct Part: Sendable {
    /// The type under the workflow that the company follows.
    package let type: RecordType
    /// The columns of a new record that need a value.
    package let required: Set<String>
    /// The permitted values of columns with a choice, by column.
    package let choices: [String: [String]]
    /// False if the type requires an entitlement that the person lacks.
    package let isEntitled: Bool
    /// The columns of other types that refer to this one.
    package let children: [(type: RecordType, reference: RecordReference)]
  }
}

extension Screens {
  /// Returns the types of an app, or of all apps, whose records the person may read.
  ///
  /// - Throws: `not_found` for an app without a type that the person may read.
  package func types(_ acting: ActingContext, app: String?) async throws -> TypesScreen {
    try await reading(acting) { tx, frame, rights in
      let types = frame.types.filter { app == nil || $0.app == app }
      guard app == nil || !types.isEmpty else {
        throw DomainError(
          .notFound,
          "there is no app \(Quoted(app ?? "")) whose records you may read",
          details: ["fields": ["app"]]
        )
      }
      let tickets = try tx.pipeline { pipeline in
        types.map { type in
          Availability.entitlement(of: type, acting).map { pipeline.value($0, as: Bool.self) }
        }
      }
      let parts = try zip(types, tickets).map { type, ticket in
        TypesScreen.Part(
          type: type,
          required: Set(type.required).subtracting(records.rules[type.name]?.fills ?? []),
          choices: frame.choices(of: type),
          isEntitled: try ticket?.first ?? true,
          children: frame.types.flatMap { other in
            other.definition.references.filter { $0.target == type.name }.map { (other, $0) }
          }
        )
      }
      return TypesScreen(frame: frame, types: parts)
    }
  }
}
