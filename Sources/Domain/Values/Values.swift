// The values that all targets share: whoever imports Domain names them without another import.
@_exported public import Values
