"""Compiles templates into faster code than Jinja does by itself: a page has hundreds of expressions."""

from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame

# Functions and objects of ours. Jinja asks before each call whether a function wants to know the context; these never do.
PLAIN_FUNCTIONS = frozenset({"_", "draw_link", "draw_options", "draw_ticks", "ngettext", "once", "static"})
PLAIN_OBJECTS = frozenset({"links", "times"})
# Fewer parts are not worth a list.
MIN_JOINED = 3


class QuickCodeGenerator(CodeGenerator):
    """Writes the code of a template. The environment has a function `to_html`, which finalizes and escapes a value at once."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
        else:
            # _output_child_post closes a parenthesis for the escaping and one for the finalizing.
            self.write("environment.to_html((")

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:  # noqa: N802 - its name in Jinja
        """What stands together is joined: each part by itself would pass through the generators of all blocks around it."""
        if frame.buffer is not None or frame.require_output_check or len(node.nodes) < MIN_JOINED:
            super().visit_Output(node, frame)
            return
        frame.buffer = self.temporary_identifier()
        self.writeline(f"{frame.buffer} = []")
        super().visit_Output(node, frame)
        self.writeline(f"yield concat({frame.buffer})")
        frame.buffer = None

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802 - its name in Jinja
        if forward_caller or node.dyn_args or node.dyn_kwargs or not _is_plain(node.node):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in [*node.args, *node.kwargs]:
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")


def _is_plain(callee: nodes.Expr) -> bool:
    if isinstance(callee, nodes.Getattr):
        return isinstance(callee.node, nodes.Name) and callee.node.name in PLAIN_OBJECTS
    return isinstance(callee, nodes.Name) and callee.name in PLAIN_FUNCTIONS
