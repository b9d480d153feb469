internal import Domain

/// Sorts functions and views so that each comes after its dependencies.
enum RoutineOrder {
  /// - Throws: `migration_failed` with the names, if functions or views depend on each other.
  static func sorted(_ routines: [Routine]) throws -> [Routine] {
    let known = Dictionary(routines.map { ($0.qualifiedName, $0) }, uniquingKeysWith: { first, _ in first })
    var ordered: [Routine] = []
    var placed: Set<String> = []
    var open: [String] = []

    func place(_ routine: Routine) throws {
      guard !placed.contains(routine.qualifiedName) else { return }
      guard !open.contains(routine.qualifiedName) else { throw DomainError.routineCycle(open.sorted()) }
      open.append(routine.qualifiedName)
      for name in routine.needs.sorted() { if let needed = known[name] { try place(needed) } }
      open.removeLast()
      placed.insert(routine.qualifiedName)
      ordered.append(routine)
    }

    for routine in routines.sorted(by: { $0.qualifiedName < $1.qualifiedName }) { try place(routine) }
    return ordered
  }
}
