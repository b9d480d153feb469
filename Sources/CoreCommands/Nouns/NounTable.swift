package import ArgumentParser

/// The nouns of this process, each with a place.
///
/// The argument parser reads commands from types, but the nouns of a manifest are known only at run time.
/// Therefore each noun gets a type from the Swift runtime: ``NounPlace`` counts in types, and ``NounCommand``
/// is generic over the place.
package struct NounTable: Sendable {
  /// The nouns of this process. `main` binds them before it parses.
  @TaskLocal package static var current = NounTable([])

  package let nouns: [Noun]
  /// False if the nouns of installed apps were needed but the database did not respond.
  package let isComplete: Bool

  package init(_ nouns: [Noun], isComplete: Bool = true) {
    self.nouns = nouns
    self.isComplete = isComplete
  }

  /// The command of each noun, in order.
  package var commands: [any ParsableCommand.Type] {
    var commands: [any ParsableCommand.Type] = []
    var place: any NounPlace.Type = FirstPlace.self
    for _ in nouns {
      commands.append(Self.command(at: place))
      place = Self.next(place)
    }
    return commands
  }

  private static func command<Place: NounPlace>(at: Place.Type) -> any ParsableCommand.Type {
    NounCommand<Place>.self
  }

  private static func next<Place: NounPlace>(_: Place.Type) -> any NounPlace.Type { NextPlace<Place>.self }
}

/// An index in the table of nouns, as a type.
protocol NounPlace: Sendable {
  /// The index, from 0.
  static var index: Int { get }
}

/// The first place, index 0.
enum FirstPlace: NounPlace {
  static var index: Int { 0 }
}

/// The place after `Previous`.
enum NextPlace<Previous: NounPlace>: NounPlace {
  static var index: Int { Previous.index + 1 }
}

extension NounPlace {
  /// The noun at this place.
  static var noun: Noun { NounTable.current.nouns[index] }
}
