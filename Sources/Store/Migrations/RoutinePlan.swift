/// The functions and views to drop and to apply so that a database matches the files. Pure.
package struct RoutinePlan: Sendable {
  /// A function or view as recorded in the database.
  package struct Recorded: Sendable {
    package let name: String
    package let kind: Routine.Kind
    package let checksum: [UInt8]
    package let interface: [UInt8]

    package init(name: String, kind: Routine.Kind, checksum: [UInt8], interface: [UInt8]) {
      self.name = name
      self.kind = kind
      self.checksum = checksum
      self.interface = interface
    }
  }

  /// A step of the plan, for display.
  package struct Step: Sendable, Equatable {
    package enum Action: String, Sendable {
      case create, replace, drop
    }

    package let name: String
    package let kind: Routine.Kind
    package let action: Action
  }

  /// The functions to drop before ``droppedViews``, because they refer to these views.
  let droppedBeforeViews: [String]
  let droppedViews: [String]
  /// The functions to drop after ``droppedViews``.
  let droppedAfterViews: [String]
  /// The functions and views to apply, each after its dependencies.
  let applied: [Routine]
  /// The recorded functions and views that no longer have a file.
  let gone: [String]
  /// The plan as steps, sorted by name.
  package let steps: [Step]

  /// Compares files with a database.
  ///
  /// - Parameters:
  ///   - recorded: the applied functions and views of the same app.
  ///   - present: the functions and views that exist, as `schema.name`.
  package init(files: [Routine], recorded: [Recorded], present: Set<String>) throws {
    let before = Dictionary(recorded.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let names = Set(files.map(\.qualifiedName))
    let changed = files.filter { file in
      guard let record = before[file.qualifiedName], present.contains(file.qualifiedName) else { return true }
      return record.checksum != file.checksum || record.kind != file.kind
    }
    gone = recorded.map(\.name).filter { !names.contains($0) }.sorted()
    var dropped = Set(gone).intersection(present)
    for file in changed where present.contains(file.qualifiedName) {
      // A function that was not recorded is replaced; PostgreSQL reports an error if that is impossible.
      guard file.kind == .view || before[file.qualifiedName].map({ $0.interface != file.interface }) ?? false
      else { continue }
      dropped.insert(file.qualifiedName)
    }
    // Also drops, transitively, the objects that depend on a dropped one.
    var isGrowing = true
    while isGrowing {
      let held = files.filter {
        present.contains($0.qualifiedName) && !dropped.contains($0.qualifiedName)
          && !$0.holds.isDisjoint(with: dropped)
      }
      dropped.formUnion(held.map(\.qualifiedName))
      isGrowing = !held.isEmpty
    }
    let kinds = Dictionary(files.map { ($0.qualifiedName, $0.kind) }, uniquingKeysWith: { first, _ in first })
    let kind = { (name: String) in before[name]?.kind ?? kinds[name] ?? .function }
    let views = dropped.filter { kind($0) == .view }
    let functions = dropped.subtracting(views)
    let holding = Set(files.filter { !$0.holds.isDisjoint(with: views) }.map(\.qualifiedName))
    droppedViews = views.sorted()
    droppedBeforeViews = functions.intersection(holding).sorted()
    droppedAfterViews = functions.subtracting(holding).sorted()
    let again = Set(changed.map(\.qualifiedName)).union(dropped)
    applied = try RoutineOrder.sorted(files).filter { again.contains($0.qualifiedName) }
    steps =
      (applied.map { file in
        Step(
          name: file.qualifiedName,
          kind: file.kind,
          action: present.contains(file.qualifiedName) ? .replace : .create
        )
      } + gone.map { Step(name: $0, kind: kind($0), action: .drop) })
      .sorted { ($0.kind.rawValue, $0.name) < ($1.kind.rawValue, $1.name) }
  }

  /// The names of the functions and views to apply, in order.
  package var order: [String] { applied.map(\.qualifiedName) }

  /// True if the database matches the files.
  package var isEmpty: Bool { steps.isEmpty }
}
