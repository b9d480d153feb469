internal import ArgumentParser
internal import Domain

/// The fields that one verb of a noun accepts.
protocol NounVerb: Sendable {
  static var fields: [NounField] { get }
  /// Returns the help text of a field.
  static func help(_ field: NounField) -> String
}

extension NounVerb {
  static func help(_ field: NounField) -> String {
    field.words.prefix(1).uppercased() + field.words.dropFirst()
  }
}

/// The flags and arguments of a verb that depend on the manifest.
///
/// The argument parser finds options by reflection and reads their values by decoding. Both are computed
/// here: the mirror has an option for each field, and each column is decoded by name.
struct NounFields<Verb: NounVerb>: ParsableArguments, CustomReflectable {
  /// The given values by column.
  private(set) var values: [String: String] = [:]

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: NamedKey.self)
    for field in Verb.fields {
      let key = NamedKey(field.column)
      // Decoded as an argument, so that the parser reports a missing value.
      values[field.column] =
        try field.isPositional
        ? container.decode(Argument<String>.self, forKey: key).wrappedValue
        : container.decodeIfPresent(String.self, forKey: key)
    }
  }

  var customMirror: Mirror {
    let children = Verb.fields.map { field -> Mirror.Child in
      let help = ArgumentHelp(stringLiteral: Verb.help(field))
      let completion = field.target.map { target in
        CompletionKind.custom { words, _, _ in await LiveCompletion.records(of: target, words) }
      }
      guard !field.isPositional else {
        return (label: field.column, value: Argument<String>(help: help, completion: completion))
      }
      let name = NameSpecification.customLong(field.flag)
      return (
        label: field.column,
        value: Option<String?>(name: name, parsing: .unconditional, help: help, completion: completion)
      )
    }
    return Mirror(self, children: children, displayStyle: .struct)
  }

  /// The given fields of a record. An empty value clears a field.
  var object: JSONObject {
    JSONObject(
      Verb.fields.compactMap { field in
        values[field.column].map { (field.column, $0.isEmpty ? JSONValue.null : JSONValue.string($0)) }
      }
    )
  }

  /// The given fields, and the arguments that do not give the field of their place, but name another one, as
  /// `column=value`.
  var separating: (fields: JSONObject, words: [String]) {
    let names = Verb.fields.flatMap { [$0.column, $0.flag] }
    let words = Verb.fields.filter(\.isPositional).compactMap { field in
      values[field.column].flatMap { FieldArguments.gives($0, oneOf: names) ? (field.column, $0) : nil }
    }
    let moved = Set(words.map(\.0))
    return (JSONObject(object.members.filter { !moved.contains($0.key) }), words.map(\.1))
  }

  /// The given fields as filters of a list.
  var filters: [(column: String, value: String)] {
    Verb.fields.compactMap { field in values[field.column].map { (field.column, $0) } }
  }
}

/// The fields of `add`.
enum AddedFields<Place: NounPlace>: NounVerb {
  static var fields: [NounField] {
    let noun = Place.noun
    return noun.fields(of: noun.type.creatable, positional: noun.words.arguments)
  }
}

/// The fields of `update`.
enum UpdatedFields<Place: NounPlace>: NounVerb {
  static var fields: [NounField] { Place.noun.fields(of: Place.noun.type.editable) }
}

/// The filters of `list`.
enum ListFilters<Place: NounPlace>: NounVerb {
  static var fields: [NounField] { Place.noun.filters }

  static func help(_ field: NounField) -> String { "Filter by \(field.words)" }
}
