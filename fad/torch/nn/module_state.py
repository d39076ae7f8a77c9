"""Saving and loading the state of modules: parameters and persistent buffers by path.

Public names: `State`, `IncompatibleKeys`.
"""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from ..hooks import RemovableHandle
from ..modes import no_grad
from ..tensor import Tensor
from .parameter import Parameter

__all__ = ["IncompatibleKeys", "State"]

EXTRA = "_extra_state"


class IncompatibleKeys(
    namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])
):
    """What `load_state_dict` returns: the keys that found no partner."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_{super().__repr__()}"

    __str__ = __repr__


class State:
    """The methods of `fad.torch.nn.Module` for its state."""

    _version = 1
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: Any
    _state_dict_pre_hooks: Any
    _load_state_dict_pre_hooks: Any
    _load_state_dict_post_hooks: Any

    def get_extra_state(self) -> Any:
        """Return further state to save; a subclass may define it."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. "
            "Please file an issue at https://github.com/pytorch/pytorch/issues/new?"
            "template=bug-report.yml to report this bug."
        )

    def set_extra_state(self, state: Any) -> None:
        """Take up further state that was saved."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. "
            "Please file an issue at https://github.com/pytorch/pytorch/issues/new?"
            "template=bug-report.yml to report this bug."
        )

    def _has_extra(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(State, method)

    def _entries(self) -> dict[str, Any]:
        """Return the tensors of this module alone that belong to its state."""
        entries = dict(self._parameters)
        entries |= {
            name: buffer
            for name, buffer in self._buffers.items()
            if name not in self._non_persistent_buffers_set
        }
        return {name: value for name, value in entries.items() if value is not None}

    def _save_to_state_dict(
        self, destination: Any, prefix: str, keep_vars: bool
    ) -> None:
        for name, value in self._entries().items():
            destination[prefix + name] = value if keep_vars else value.detach()
        if self._has_extra("get_extra_state"):
            destination[prefix + EXTRA] = self.get_extra_state()

    def state_dict(
        self,
        *args: Any,
        destination: Any = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> Any:
        """Return the parameters and persistent buffers by path, sharing memory.

        Args:
            destination: a dictionary to fill.
            prefix: what paths begin with.
            keep_vars: give the parameters themselves, not detached.
        """
        if args:
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and not prefix else prefix
            keep_vars = args[2] if len(args) > 2 and not keep_vars else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in list(self._state_dict_pre_hooks.values()):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination,
                    prefix=f"{prefix}{name}.",
                    keep_vars=keep_vars,
                )
        for hook in list(self._state_dict_hooks.values()):
            result = hook(self, destination, prefix, metadata)
            if not getattr(hook, "_from_public_api", False):
                destination = destination if result is None else result
            elif result is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return destination

    def _enter(self, table: Any, hook: Callable[..., Any]) -> RemovableHandle:
        handle = RemovableHandle(table)
        table[handle.id] = hook
        return handle

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        return self._enter(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, metadata)`` when it is filled."""
        hook._from_public_api = True
        return self._enter(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Any) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before `state_dict` is filled."""
        return self._enter(self._state_dict_pre_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Any) -> RemovableHandle:
        """Call a hook with the module and what `_load_from_state_dict` gets."""
        return self._enter(
            self._load_state_dict_pre_hooks, lambda *args: hook(self, *args)
        )

    def _register_load_state_dict_pre_hook(
        self, hook: Any, with_module: bool = False
    ) -> RemovableHandle:
        if with_module:
            return self.register_load_state_dict_pre_hook(hook)
        return self._enter(self._load_state_dict_pre_hooks, hook)

    def register_load_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after loading."""
        return self._enter(self._load_state_dict_post_hooks, hook)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy saved values into the parameters and buffers.

        Args:
            state_dict: from `state_dict`.
            strict: all keys must match.
            assign: take the tensors themselves instead of copying.

        Raises:
            RuntimeError: keys are missing or left over, or shapes differ.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"Expected state_dict to be dict-like, got {type(state_dict)}."
            )
        metadata = getattr(state_dict, "_metadata", None)
        given: Any = OrderedDict(state_dict)
        if metadata is not None:
            given._metadata = metadata
        loading = _Loading(strict, assign)
        loading.run(self, given, "")
        errors = loading.errors
        if strict:
            for what, keys in (
                ("Unexpected", loading.unexpected),
                ("Missing", loading.missing),
            ):
                if keys:
                    errors.insert(0, f"{what} key(s) in state_dict: {_quoted(keys)}. ")
        if errors:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t"
                + "\n\t".join(errors)
            )
        return IncompatibleKeys(loading.missing, loading.unexpected)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Copy the entries of this module alone."""
        for hook in list(self._load_state_dict_pre_hooks.values()):
            hook(
                state_dict,
                prefix,
                local_metadata,
                strict,
                missing_keys,
                unexpected_keys,
                error_msgs,
            )
        assign = local_metadata.get("assign_to_params_buffers", False)
        entries = self._entries()
        for name, target in entries.items():
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            self._load_entry(name, target, key, state_dict[key], assign, error_msgs)
        extra = prefix + EXTRA
        if self._has_extra("set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        if strict:
            unexpected_keys.extend(
                key
                for key in state_dict
                if key.startswith(prefix)
                and self._is_unknown(key[len(prefix) :], entries)
            )

    def _is_unknown(self, rest: str, entries: dict[str, Any]) -> bool:
        if rest == EXTRA:
            return not self._has_extra("set_extra_state")
        first, _, more = rest.partition(".")
        return first not in (self._modules if more else entries)

    def _load_entry(
        self,
        name: str,
        target: Tensor,
        key: str,
        given: Any,
        assign: bool,
        errors: list[str],
    ) -> None:
        if not isinstance(given, Tensor):
            errors.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or '
                f"Tensor-like object from checkpoint but received {type(given)}"
            )
            return
        if target.ndim == 0 and given.shape == (1,):
            given = given[0]
        if given.shape != target.shape:
            errors.append(
                f"size mismatch for {key}: copying a param with shape {given.shape} from "
                f"checkpoint, the shape in current model is {target.shape}."
            )
            return
        with no_grad():
            if not assign:
                target.copy_(given)  # type: ignore[attr-defined]
            elif isinstance(target, Parameter):
                if not isinstance(given, Parameter):
                    given = Parameter(given, target.requires_grad)
                else:
                    given.requires_grad_(target.requires_grad)
                setattr(self, name, given)
            else:
                setattr(self, name, given)


class _Loading:
    """One run of `load_state_dict` over a tree of modules."""

    def __init__(self, strict: bool, assign: bool) -> None:
        self.strict, self.assign = strict, assign
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.errors: list[str] = []

    def run(self, module: State, state: Any, prefix: str) -> None:
        metadata = getattr(state, "_metadata", None)
        local = {} if metadata is None else dict(metadata.get(prefix[:-1], {}))
        if self.assign:
            local["assign_to_params_buffers"] = True
        module._load_from_state_dict(
            state, prefix, local, True, self.missing, self.unexpected, self.errors
        )
        for name, child in module._modules.items():
            if child is not None:
                path = f"{prefix}{name}."
                part: Any = OrderedDict(
                    (k, v) for k, v in state.items() if k.startswith(path)
                )
                if metadata is not None:
                    part._metadata = metadata
                self.run(child, part, path)
        keys = IncompatibleKeys(self.missing, self.unexpected)
        for hook in list(module._load_state_dict_post_hooks.values()):
            if hook(module, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not "
                    "expected to return new values, if incompatible_keys need to be "
                    "modified,it should be done inplace."
                )


def _quoted(keys: list[str]) -> str:
    return ", ".join(f'"{key}"' for key in keys)
