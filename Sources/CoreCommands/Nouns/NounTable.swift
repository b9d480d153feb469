package import ArgumentParser
internal import Domain
internal import Store

/// The nouns of this process, each with a place.
///
/// The argument parser asks types for their names, and a manifest's nouns are known at run time only. So each noun has a
/// type of its own, made by the Swift runtime: ``NounPlace`` counts in types, and ``NounCommand`` is generic over the
/// place.
package struct NounTable: Sendable {
  /// The nouns that commands are made of; `main` binds them before it parses.
  @TaskLocal package static var current = NounTable([])

  package let nouns: [Noun]

  package init(_ nouns: [Noun]) { self.nouns = nouns }

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

/// A place in the table of nouns, as a type.
protocol NounPlace: Sendable {
  /// From 0.
  static var index: Int { get }
}

/// The place 0.
enum FirstPlace: NounPlace {
  static var index: Int { 0 }
}

/// The place after another one.
enum NextPlace<Previous: NounPlace>: NounPlace {
  static var index: Int { Previous.index + 1 }
}

extension NounPlace {
  /// The noun at this place.
  static var noun: Noun { NounTable.current.nouns[index] }
}
