internal import Postgres

/// The functions that statements of a file call before all functions are applied.
///
/// A check, a policy or a block may call a function, which has to exist by then. The function is applied just
/// before the first statement that names it, after its own dependencies.
struct EarlyRoutines {
  private var missing: [String: Routine] = [:]
  /// The applied functions, each after its dependencies.
  private(set) var applied: [Routine] = []

  /// - Parameter routines: the functions and views of the same app.
  init(_ routines: [Routine], _ tx: Transaction) throws {
    let functions = routines.filter { $0.kind == .function }
    let present = try RoutineStore.present(functions.map(\.qualifiedName), tx)
    for function in functions where !present.contains(function.qualifiedName) {
      missing[function.qualifiedName] = function
    }
  }

  /// Returns the functions to apply before a statement, each after its dependencies. They count as applied
  /// from then on.
  mutating func needed(by statement: ScriptStatement) throws -> [Routine] {
    guard !missing.isEmpty, !statement.text.hasPrefix("comment on") else { return [] }
    var open = QualifiedNames.all(in: statement.text)
    var needed: [Routine] = []
    while let name = open.first {
      open.remove(name)
      guard let routine = missing.removeValue(forKey: name) else { continue }
      needed.append(routine)
      open.formUnion(routine.needs)
    }
    let sorted = try RoutineOrder.sorted(needed)
    applied += sorted
    return sorted
  }
}
