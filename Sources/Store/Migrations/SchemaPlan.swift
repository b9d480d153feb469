/// The files that a migration applies to one schema, or has applied.
package struct SchemaPlan: Sendable {
  package let app: String
  /// Files of tables and changes.
  package var migrations: [Migration]
  /// Functions and views.
  package var routines: [RoutinePlan.Step]

  package init(app: String, migrations: [Migration] = [], routines: [RoutinePlan.Step] = []) {
    self.app = app
    self.migrations = migrations
    self.routines = routines
  }

  package var isEmpty: Bool { migrations.isEmpty && routines.isEmpty }
}
